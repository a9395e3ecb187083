const { app } = require('electron')

/**
 * Loaded into the app with `electron -r`. Opens a tool's page like a user and prints how long the diff takes to
 * appear. Avoids a debugger, whose CPU time would count.
 */
app.once('web-contents-created', (_event, contents) => {
  contents.once('dom-ready', async () => {
    const wanted = process.env.BENCH_DIFF ?? '{}'
    const told = await contents.executeJavaScript(`(${look})(${wanted})`)
    process.stdout.write(`bench ${JSON.stringify(told)}\n`)
  })
})

/**
 * Runs in the page. Shows a tool's diff repeatedly, recalculated each time, measured from the click on its name in the
 * list. Then requests it once without showing it. Returns ms.
 * @param {{ choice: { toolId: string, planId: string, modelCode: string }, setting: string, looks: number }} wanted
 *   a setting that the diff adds
 */
async function look({ choice, setting, looks }) {
  const calmMs = 500
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  /** A frame is visible once the task after it runs. */
  const painted = async () => {
    await frame()
    await new Promise((resolve) => setTimeout(resolve))
    return performance.now()
  }
  /** @type {(find: () => Element | undefined | null) => Promise<Element>} */
  const appeared = (find) =>
    new Promise((resolve) => {
      const check = () => {
        const found = find()
        if (!found) return
        observer.disconnect()
        resolve(found)
      }
      const observer = new MutationObserver(check)
      observer.observe(document, { childList: true, subtree: true, characterData: true, attributes: true })
      check()
    })
  const inMain = (/** @type {string} */ selector) => [...document.querySelectorAll(`main ${selector}`)]
  const findLink = () => inMain('a').find((link) => link.getAttribute('href')?.endsWith(`/tools/${choice.toolId}`))
  const isOld = (/** @type {Element} */ table) => table.closest('[aria-busy="true"]') !== null
  const findDiff = () => inMain('article table').find((table) => table.textContent?.includes(setting) && !isOld(table))

  const shownMs = []
  for (let at = 0; at < looks; at += 1) {
    location.hash = '#/tools'
    const link = await appeared(findLink)
    // Excludes the loading of the list.
    await new Promise((resolve) => setTimeout(resolve, calmMs))
    const from = performance.now()
    if (link instanceof HTMLElement) link.click()
    await appeared(findDiff)
    shownMs.push((await painted()) - from)
  }

  const from = performance.now()
  const { ok } = await window.companion.call('tools.preview', choice)
  const answeredMs = performance.now() - from
  if (!ok) throw new Error('The preview failed.')
  return { shownMs, answeredMs }
}
