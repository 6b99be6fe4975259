/** Prints the CPU time and the time of each test file, the costliest first. @param results those of `runTestFile` */
export function printCpuTable(results) {
  console.log('CPU s | time s | file')
  for (const { file, cpuSeconds, seconds } of results.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds))
    console.log(`${cpuSeconds.toFixed(1).padStart(5)} | ${seconds.toFixed(1).padStart(6)} | ${file}`)
  const total = results.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0)
  console.log(
    `${total.toFixed(1).padStart(5)} | in all ${results.length} files, without the servers that they share`,
  )
}
