const { app } = require('electron')

/**
 * Loaded into the app with `electron -r`. Opens pages in sequence and prints how long each took. Avoids a debugger,
 * whose CPU time would count.
 */
app.once('web-contents-created', (_event, contents) => {
  contents.once('dom-ready', async () => {
    const places = process.env.BENCH_PLACES ?? '{}'
    const told = await contents.executeJavaScript(`(${openAll})(${places})`)
    process.stdout.write(`bench ${JSON.stringify(told)}\n`)
  })
})

/**
 * Runs in the page. Returns for each place the time until its first rows or fields, the time until it is complete, the
 * longest task until it is idle (at least 50, the browser's minimum), all in ms, and the number of nodes.
 * @param {Readonly<Record<string, string>>} places paths with what their headings contain
 */
async function openAll(places) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const calmMs = 500
  /** @type {{ startTime: number, duration: number }[]} */
  const tasks = []
  new PerformanceObserver((list) => tasks.push(...list.getEntries())).observe({ type: 'longtask' })

  const hasTitle = (/** @type {string} */ title) =>
    document.querySelector('main h1')?.textContent?.includes(title) === true
  const isComplete = () => document.querySelector('main :is([role="status"] > .sr-only, [aria-busy="true"])') === null
  // An empty page is complete with its message.
  const hasRows = () =>
    document.querySelector('main :is(tbody tr, li, dl, input, textarea, [role="combobox"]):not(nav *)') !== null
  const calm = async () => {
    const since = performance.now()
    const last = () => Math.max(since, ...tasks.map(({ startTime, duration }) => startTime + duration))
    while (performance.now() - last() < calmMs) await frame()
  }
  const open = async (/** @type {string} */ path, /** @type {string} */ title) => {
    const from = performance.now()
    location.hash = path
    await frame()
    while (!hasTitle(title) || !(hasRows() || isComplete())) await frame()
    const rowsMs = performance.now() - from
    while (!isComplete()) await frame()
    const contentMs = performance.now() - from
    await calm()
    const during = tasks.filter(({ startTime, duration }) => startTime + duration > from)
    return {
      path,
      rowsMs,
      contentMs,
      maxTaskMs: Math.max(50, ...during.map(({ duration }) => duration)),
      nodes: document.querySelectorAll('*').length,
    }
  }

  while (document.querySelector('#root:not([hidden]) main h1') === null) await frame()
  await calm()
  const opened = []
  for (const [path, title] of Object.entries(places)) opened.push(await open(path, title))
  return opened
}
