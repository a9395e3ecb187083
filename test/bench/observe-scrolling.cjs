const { app } = require('electron')

/**
 * Loaded into the app and the bare window with `electron -r`. Scrolls a table from top to bottom and prints how smooth
 * that was. Avoids a debugger, whose CPU time would count.
 */
app.once('web-contents-created', (_event, contents) => {
  contents.once('dom-ready', async () => {
    const table = process.env.BENCH_TABLE ?? '{}'
    const told = await contents.executeJavaScript(`(${scroll})(${table})`)
    process.stdout.write(`bench ${JSON.stringify(told)}\n`)
  })
})

/**
 * Runs in the page. Opens `path` and waits for a table of this many rows, or creates one with plain cells. Returns the
 * longest task (at least 50, the browser's minimum) and the longest frame interval, both in ms.
 * @param {{ path?: string, rows: number, columns: number, rowHeight: number }} wanted
 */
async function scroll({ path, rows, columns, rowHeight }) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const calmMs = 1500
  /** @type {{ startTime: number, duration: number }[]} */
  const tasks = []
  new PerformanceObserver((list) => tasks.push(...list.getEntries())).observe({ type: 'longtask' })

  const makeTable = () => {
    const made = document.createElement('table')
    for (let row = 1; row <= rows; row += 1) {
      const line = made.insertRow()
      line.style.height = `${rowHeight}px`
      for (let column = 1; column <= columns; column += 1) line.insertCell().textContent = `Row ${row}, ${column}`
    }
    document.body.append(made)
    return made
  }
  const findTable = async () => {
    location.hash = String(path)
    for (;;) {
      const found = document.querySelector(`table[aria-rowcount="${rows + 1}"]`)
      if (found) return found
      await frame()
    }
  }
  const findScroller = (/** @type {Element | null} */ element) => {
    for (let one = element; one; one = one.parentElement) {
      if (one.scrollHeight > one.clientHeight && /auto|scroll/.test(getComputedStyle(one).overflowY)) return one
    }
    return document.scrollingElement ?? document.documentElement
  }

  const scroller = findScroller(path === undefined ? makeTable() : await findTable())
  // Excludes the loading of the page.
  const readyAt = performance.now()
  while (performance.now() - Math.max(readyAt, ...tasks.map(({ startTime }) => startTime)) < calmMs) await frame()

  const from = await frame()
  const gaps = []
  for (let last = from, top = -1; top < scroller.scrollTop; ) {
    top = scroller.scrollTop
    scroller.scrollTop = top + 2 * rowHeight
    const frameAt = await frame()
    gaps.push(frameAt - last)
    last = frameAt
  }
  // A long task is reported after the frame that it delayed.
  await new Promise((resolve) => setTimeout(resolve, 200))
  const during = tasks.filter(({ startTime, duration }) => startTime + duration > from)
  return {
    maxTaskMs: Math.max(50, ...during.map(({ duration }) => duration)),
    maxFrameMs: Math.max(...gaps),
    frames: gaps.length,
  }
}
