/** Loaded before a program that is measured: it then tells its parent, when asked, what it took so far. */
process.on('message', (message) => {
  if (typeof message !== 'object' || message === null || !('kind' in message) || message.kind !== 'measure') return
  const { user, system } = process.cpuUsage()
  process.send?.({ kind: 'measured', cpuUs: user + system, bytes: process.memoryUsage.rss() })
})
