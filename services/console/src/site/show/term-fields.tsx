/** Inputs for terms of a payment, each under its name. */
export function TermFields<Name extends string>({
  fields,
  values,
  onChange,
}: {
  fields: readonly { name: Name; title: string }[]
  values: Readonly<Record<Name, string>>
  onChange: (name: Name, value: string) => void
}) {
  return fields.map(({ name, title }) => (
    <label key={name}>
      {title}
      <input
        required
        value={values[name]}
        autoComplete="off"
        spellCheck={false}
        onChange={event => onChange(name, event.target.value)}
      />
    </label>
  ))
}
