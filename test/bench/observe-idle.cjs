const { cpus } = require('node:os')
const { monitorEventLoopDelay } = require('node:perf_hooks')
const { setTimeout: wait } = require('node:timers/promises')
const { app } = require('electron')

const settleDelayMs = 5000
const measureMs = 8000

/**
 * Loaded into the app and the bare window with `electron -r`. Prints the idle CPU use of all processes and of the main
 * process, the longest call of the page, and the maximum timer delay of the main process.
 */
app.once('web-contents-created', (_event, contents) => {
  contents.once('dom-ready', async () => {
    await wait(settleDelayMs)
    // Resets the measurement.
    app.getAppMetrics()
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const before = process.cpuUsage()
    const startedAt = performance.now()
    const maxCallMs = await contents.executeJavaScript(`(${callOften})(${measureMs})`)
    const shares = app.getAppMetrics().map(({ cpu }) => cpu.percentCPUUsage)
    const percent = shares.reduce((sum, share) => sum + share, 0) * cpus().length
    delay.disable()
    const { user, system } = process.cpuUsage(before)
    const mainPercent = (user + system) / 10 / (performance.now() - startedAt)
    const maxBlockMs = delay.max / 1e6
    process.stdout.write(`bench ${JSON.stringify({ percent, mainPercent, maxCallMs, maxBlockMs })}\n`)
  })
})

/**
 * Runs in the page. Calls a cheap main method four times a second, if there is one.
 * @param {number} forMs
 */
async function callOften(forMs) {
  const pauseMs = 250
  const companion = Reflect.get(window, 'companion')
  const durations = []
  for (const start = performance.now(); performance.now() - start < forMs; ) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    const calledAt = performance.now()
    await companion?.call('settings.get', {})
    durations.push(performance.now() - calledAt)
  }
  return Math.max(...durations)
}
