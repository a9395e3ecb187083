const { app, dialog } = require('electron')

/**
 * Loaded into the app with `electron -r`. Opens a conversation like a user, scrolls, and prints the durations. Avoids
 * a debugger, whose CPU time would count.
 */
app.once('web-contents-created', (_event, contents) => {
  contents.once('dom-ready', async () => {
    const wanted = process.env.BENCH_CONVERSATION ?? '{}'
    const { files } = JSON.parse(wanted)
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: files })
    const told = await contents.executeJavaScript(`(${openAndScroll})(${wanted})`)
    process.stdout.write(`bench ${JSON.stringify(told)}\n`)
  })
})

/**
 * Runs in the page. Imports files if given, opens a conversation by its title, and scrolls up and down. Returns ms.
 * @param {{ title: string, files: readonly string[] }} wanted
 */
async function openAndScroll({ title, files }) {
  const calmMs = 1500
  const frames = 120
  const stepPx = 100
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const rested = () => new Promise((resolve) => setTimeout(resolve, calmMs))
  if (files.length > 0) {
    const { ok } = await window.companion.call('playground.import', { kind: 'conversation' })
    if (!ok) throw new Error('The conversations could not be taken in.')
  }
  location.hash = '#/playground'
  const findLink = () => [...document.querySelectorAll('main a')].find((link) => link.textContent?.includes(title))
  while (!findLink()) await frame()
  await rested()

  const from = performance.now()
  const link = findLink()
  if (link instanceof HTMLElement) link.click()
  const isThere = () => {
    const log = document.querySelector('[role="log"]')
    if (!log || log.scrollHeight - log.scrollTop - log.clientHeight > 100) return false
    return [...log.querySelectorAll('article')].some((one) => one.textContent?.includes(`of the ${title} conversation`))
  }
  while (!isThere()) await frame()
  // A frame is visible once the task after it runs.
  await frame()
  await new Promise((resolve) => setTimeout(resolve))
  const openedMs = performance.now() - from
  await rested()

  const log = document.querySelector('[role="log"]')
  const gaps = []
  let last = await frame()
  for (let at = 0; log && at < frames; at += 1) {
    log.scrollTop -= stepPx
    const frameAt = await frame()
    gaps.push(frameAt - last)
    last = frameAt
  }
  const sorted = gaps.sort((a, b) => a - b)
  const id = decodeURIComponent(location.hash.split('/').at(-1) ?? '')
  const askedAt = performance.now()
  const { ok } = await window.companion.call('playground.conversation', { id })
  if (!ok) throw new Error('The conversation could not be read.')
  const answeredMs = performance.now() - askedAt
  return { openedMs, answeredMs, frameP95Ms: sorted[Math.floor(sorted.length * 0.95)], maxFrameMs: sorted.at(-1) }
}
