import { MessageChannel, receiveMessageOnPort, Worker, workerData } from 'node:worker_threads'

/**
 * Moments finer than the millisecond of Node's timers, which let chunks of streams that have nothing to do with each other leave as one
 * bundle: a thread that sleeps until each moment and tells it.
 *
 * @typedef {object} Beat
 * @property {number} id
 * @property {number} everyMs
 * @property {number} times
 *
 * @typedef {{ bell: Int32Array<SharedArrayBuffer>, port: import('node:worker_threads').MessagePort }} Shared
 */

if (workerData?.isPace) keepPace(workerData)

/** @param {Shared} shared */
function keepPace({ bell, port }) {
  /** @type {(Beat & { at: number })[]} */
  let beats = []
  for (;;) {
    const rung = Atomics.load(bell, 0)
    for (let told = receiveMessageOnPort(port); told; told = receiveMessageOnPort(port)) {
      /** @type {Beat} */
      const beat = told.message
      beats = beats.filter(({ id }) => id !== beat.id)
      // Streams that begin together are not to be in step.
      beats.push({ ...beat, at: performance.now() + Math.random() * beat.everyMs })
    }
    beats = beats.filter(({ times }) => times > 0)
    const now = performance.now()
    for (const beat of beats) {
      if (beat.at > now) continue
      port.postMessage(beat.id)
      beat.at += beat.everyMs
      beat.times -= 1
    }
    const next = beats.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY)
    Atomics.wait(bell, 0, rung, Math.max(0, next - performance.now()))
  }
}

/** Starts the thread. `beat` calls `run` so many times; what it gives ends that early. */
export function startPace() {
  const { port1, port2 } = new MessageChannel()
  const bell = new Int32Array(new SharedArrayBuffer(4))
  const workerOptions = { workerData: { isPace: true, bell, port: port2 }, transferList: [port2] }
  const worker = new Worker(new URL(import.meta.url), workerOptions)
  worker.unref()
  /** @type {Map<number, () => void>} */
  const running = new Map()
  let lastId = 0
  port1.on('message', (id) => running.get(id)?.())
  const tell = (/** @type {Beat} */ beat) => {
    port1.postMessage(beat)
    Atomics.add(bell, 0, 1)
    Atomics.notify(bell, 0)
  }
  return {
    /**
     * @param {{ everyMs: number, times: number }} pace
     * @param {() => void} run
     */
    beat(pace, run) {
      lastId += 1
      const id = lastId
      running.set(id, run)
      tell({ id, ...pace })
      return () => {
        if (running.delete(id)) tell({ id, everyMs: 0, times: 0 })
      }
    },
  }
}
