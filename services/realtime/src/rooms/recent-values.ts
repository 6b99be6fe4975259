/** A set that forgets its oldest value when it has more than `limit`. */
export class RecentValues {
  readonly #values = new Set<string>()

  constructor(private readonly limit: number) {}

  has(value: string): boolean {
    return this.#values.has(value)
  }

  add(value: string): void {
    this.#values.add(value)
    if (this.#values.size <= this.limit) return
    const [oldest] = this.#values
    this.#values.delete(oldest!)
  }

  delete(value: string): void {
    this.#values.delete(value)
  }

  all(): string[] {
    return [...this.#values]
  }
}
