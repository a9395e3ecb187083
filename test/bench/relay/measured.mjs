/** Loaded before a measured program. Reports its CPU time and memory to the parent on request. */
process.on('message', (message) => {
  if (typeof message !== 'object' || message === null || !('kind' in message) || message.kind !== 'measure') return
  const { user, system } = process.cpuUsage()
  process.send?.({ kind: 'measured', cpuUs: user + system, bytes: process.memoryUsage.rss() })
})
