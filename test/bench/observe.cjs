const { app } = require('electron')

/**
 * Loaded into the app and the bare window with `electron -r`. Prints the times of the first page. Avoids a debugger,
 * whose CPU time would count.
 */
app.once('web-contents-created', (_event, contents) => {
  contents.once('dom-ready', async () => {
    const wanted = process.env.BENCH_WANTED ?? '[]'
    const times = await contents.executeJavaScript(`(${watch})(${wanted})`)
    process.stdout.write(`bench ${JSON.stringify(times)}\n`)
  })
})

/**
 * Runs in the page, which is complete with its main heading, the expected texts, and no pending call. Returns ms since
 * 1970.
 * @param {readonly string[]} wanted
 */
async function watch(wanted) {
  const isComplete = () => {
    const main = document.querySelector('main')
    if (!main?.querySelector('h1')) return false
    const isOnItsWay = main.querySelector('[role="status"] > .sr-only, [aria-busy="true"]') !== null
    return !isOnItsWay && wanted.every((text) => main.textContent?.includes(text))
  }
  /** @type {Promise<number>} */
  const completed = new Promise((resolve) => {
    const look = () => {
      if (!isComplete()) return
      observer.disconnect()
      resolve(performance.now())
    }
    const observer = new MutationObserver(look)
    observer.observe(document, { childList: true, subtree: true, characterData: true, attributes: true })
    look()
  })
  /** @type {Promise<number>} */
  const painted = new Promise((resolve) => {
    const find = (/** @type {PerformanceEntry[]} */ entries) =>
      entries.filter(({ name }) => name === 'first-contentful-paint').map(({ startTime }) => resolve(startTime))
    new PerformanceObserver((list) => find(list.getEntries())).observe({ type: 'paint', buffered: true })
  })
  const [navigation] = performance.getEntriesByType('navigation')
  const loaded = navigation instanceof PerformanceNavigationTiming ? navigation.domContentLoadedEventEnd : 0
  const [paintedAt, completedAt] = await Promise.all([painted, completed])
  const { timeOrigin } = performance
  return {
    paintedAt: timeOrigin + paintedAt,
    loadedAt: timeOrigin + (loaded || performance.now()),
    // Content is usable once it is painted.
    completedAt: timeOrigin + Math.max(paintedAt, completedAt),
  }
}
