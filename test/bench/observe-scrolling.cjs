const { app } = require('electron')

/**
 * Loaded with `electron -r` into the app and the bare window alike: scrolls a table of the first page from top to
 * bottom and tells on standard output how smooth that was, without a debugger, whose work would be measured as well.
 */
app.once('web-contents-created', (_event, contents) => {
  contents.once('dom-ready', async () => {
    const table = process.env.BENCH_TABLE ?? '{}'
    const told = await contents.executeJavaScript(`(${scroll})(${table})`)
    process.stdout.write(`bench ${JSON.stringify(told)}\n`)
  })
})

/**
 * Runs in the page. Goes to `path` where there is one, and waits for a table of so many rows; without one makes it, of
 * plain cells. Answers the longest task (50 when none was longer: the browser tells no shorter ones) and the longest
 * time from one frame to the next, both in ms.
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
  // What loading the page still does is not scrolling.
  const readyAt = performance.now()
  while (performance.now() - Math.max(readyAt, ...tasks.map(({ startTime }) => startTime)) < calmMs) await frame()

  const from = await frame()
  const gaps = []
  for (let last = from, top = -1; top < scroller.scrollTop; ) {
    top = scroller.scrollTop
    scroller.scrollTop = top + 2 * rowHeight
    const now = await frame()
    gaps.push(now - last)
    last = now
  }
  // A task is told after the frame it delayed.
  await new Promise((resolve) => setTimeout(resolve, 200))
  const during = tasks.filter(({ startTime, duration }) => startTime + duration > from)
  return {
    longestTaskMs: Math.max(50, ...during.map(({ duration }) => duration)),
    longestFrameMs: Math.max(...gaps),
    frames: gaps.length,
  }
}
