const { app, contentTracing } = require('electron')
const { readFileSync, rmSync } = require('node:fs')
const { answerTokens } = require('./answer-tokens.cjs')

const sampleMs = 250

/**
 * Loaded into the app and the bare window with `electron -r`. Streams four concurrent answers and prints how smooth
 * that was. Tasks come from the browser's trace with their CPU time, because other programs delay tasks on a busy
 * machine.
 */
app.once('web-contents-created', (_event, contents) => {
  contents.once('dom-ready', async () => {
    const wanted = process.env.BENCH_STREAMS ?? '{}'
    const isApp = 'url' in JSON.parse(wanted)
    await contents.executeJavaScript(`(${isApp ? prepareComparison : prepareBare})(${wanted}, ${answerTokens})`)
    const processId = contents.getOSProcessId()
    await contentTracing.startRecording({
      included_categories: ['toplevel'],
      excluded_categories: ['*'],
    })
    const memory = sampleMemory(processId)
    const told = await contents.executeJavaScript(`(${isApp ? runComparison : runBare})(${wanted})`)
    const samples = memory.end()
    const tasks = tasksIn(await contentTracing.stopRecording(), processId)
    process.stdout.write(`bench ${JSON.stringify({ ...told, ...tasks, ...steadiness(samples) })}\n`)
  })
})

/** @param {number} processId */
function sampleMemory(processId) {
  /** @type {number[]} */
  const samples = []
  const timer = setInterval(() => {
    const found = app.getAppMetrics().find(({ pid }) => pid === processId)
    if (found) samples.push(found.memory.workingSetSize / 1024)
  }, sampleMs)
  return {
    end: () => {
      clearInterval(timer)
      return samples
    },
  }
}

/**
 * Minimum memory of a page in the second and in the last fifth of the time, in MB, which excludes garbage.
 * @param {readonly number[]} samples
 */
function steadiness(samples) {
  const fifth = Math.max(1, Math.floor(samples.length / 5))
  return {
    earlyMb: Math.min(...samples.slice(fifth, 2 * fifth)),
    lateMb: Math.min(...samples.slice(-fifth)),
  }
}

/**
 * Tasks over 50 ms of a page's main thread, by wall time and CPU time.
 * @param {string} file is removed
 * @param {number} processId
 */
function tasksIn(file, processId) {
  const { traceEvents } = JSON.parse(readFileSync(file, 'utf8'))
  rmSync(file)
  const main = traceEvents.find(
    (/** @type {TraceEvent} */ { pid, name, args }) =>
      pid === processId && name === 'thread_name' && args?.name === 'CrRendererMain',
  )
  const tasks = traceEvents.filter(
    (/** @type {TraceEvent} */ { pid, tid, name, ph }) =>
      pid === processId && tid === main?.tid && ph === 'X' && name.endsWith('RunTask'),
  )
  const wall = tasks.map((/** @type {TraceEvent} */ { dur = 0 }) => dur / 1000)
  const cpu = tasks.map((/** @type {TraceEvent} */ { tdur = 0 }) => tdur / 1000)
  const seconds = cpu.reduce((/** @type {number} */ sum, /** @type {number} */ one) => sum + one, 0) / 1000
  return { ...longOnes('wall', wall), ...longOnes('cpu', cpu), cpuSeconds: seconds }
}

/** @typedef {{ pid: number, tid: number, name: string, ph: string, dur?: number, tdur?: number, args?: { name?: string } }} TraceEvent */

/**
 * @param {'wall' | 'cpu'} by
 * @param {readonly number[]} times in ms
 */
function longOnes(by, times) {
  const maxMs = times.reduce((max, one) => Math.max(max, one), 0)
  return { [`${by}Over50`]: times.filter((ms) => ms > 50).length, [`${by}LongestMs`]: maxMs }
}

/**
 * Runs in the app's page. Creates and opens a comparison of four columns, and waits until it can run.
 * @param {{ url: string, cases: number }} wanted
 */
async function prepareComparison({ url, cases }) {
  const calmMs = 1500
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const columns = ['alpha', 'beta', 'gamma', 'delta'].map((modelCode) => ({
    id: modelCode,
    name: '',
    system: '',
    parameters: {},
    target: { kind: 'local', url, standard: 'chat-completions', modelCode },
  }))
  const rows = Array.from({ length: cases }, (_, at) => ({ id: `case-${at}`, values: [`word ${at}`] }))
  const setup = { title: 'Streams', prompt: 'Write a lot.', columns, variables: cases > 0 ? ['word'] : [], cases: rows }
  const id = `streams-${Date.now()}`
  const { ok } = await window.companion.call('playground.saveComparison', { id, setup })
  if (!ok) throw new Error('The comparison could not be saved.')
  location.hash = `#/playground/compare/${id}`
  while (!document.querySelector('[aria-keyshortcuts="Control+Enter Meta+Enter"]')) await frame()
  await new Promise((resolve) => setTimeout(resolve, calmMs))
}

/** Runs in the app's page. Runs all cells, and resolves when all answers are complete. */
async function runComparison() {
  const wholeMs = 3000
  const gaps = []
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const busy = () => document.querySelector('main [role="progressbar"]') !== null
  const button = document.querySelector('[aria-keyshortcuts="Control+Enter Meta+Enter"]')
  if (button instanceof HTMLElement) button.click()
  while (!busy()) await frame()
  const from = await frame()
  let last = from
  while (busy()) {
    const frameAt = await frame()
    gaps.push(frameAt - last)
    last = frameAt
  }
  await new Promise((resolve) => setTimeout(resolve, wholeMs))
  gaps.sort((a, b) => a - b)
  return {
    seconds: (last - from) / 1000,
    framesPerSecond: (1000 * gaps.length) / (last - from),
    frameP95Ms: gaps[Math.floor(gaps.length * 0.95)],
  }
}

/**
 * Runs in the bare page. Creates four boxes.
 * @param {{ tokens: number }} wanted
 * @param {(wanted: { seed: string, count: number }) => string[]} tokensOf
 */
function prepareBare({ tokens }, tokensOf) {
  document.body.style.cssText = 'display: grid; grid-template-columns: repeat(4, 1fr); margin: 0; height: 100vh'
  const boxes = ['alpha', 'beta', 'gamma', 'delta'].map((seed) => {
    const box = document.createElement('div')
    box.style.cssText = 'overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; height: 100vh'
    const node = document.createTextNode('')
    box.append(node)
    return { box, node, pieces: tokensOf({ seed, count: tokens }) }
  })
  document.body.replaceChildren(...boxes.map(({ box }) => box))
  Object.assign(window, { benchBoxes: boxes })
}

/**
 * Runs in the bare page. Appends the same tokens as plain text at the same speed, and scrolls to the end.
 * @param {{ tokens: number, tokensPerSecond: number }} wanted
 */
async function runBare({ tokens, tokensPerSecond }) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const boxes = /** @type {any} */ (window).benchBoxes
  const gaps = []
  const from = await frame()
  let [last, sent] = [from, 0]
  while (sent < tokens) {
    const due = Math.min(tokens, Math.floor(((last - from) / 1000) * tokensPerSecond))
    for (const { box, node, pieces } of boxes) {
      node.appendData(pieces.slice(sent, due).join(''))
      box.scrollTop = 1e9
    }
    sent = due
    const frameAt = await frame()
    gaps.push(frameAt - last)
    last = frameAt
  }
  gaps.sort((a, b) => a - b)
  return {
    seconds: (last - from) / 1000,
    framesPerSecond: (1000 * gaps.length) / (last - from),
    frameP95Ms: gaps[Math.floor(gaps.length * 0.95)],
  }
}
