import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** Work of one frame, in ms; the rest waits for the next. */
const frameWorkMs = 6
const betweenMs = 24
/** Characters that are read at once when they are first shown. */
const atOnce = 5_000

/** A frame that something else has had so much of, in ms, is left to it; not more than so many in a row. */
const usedMs = 8
const mostLeft = 10

type Job = () => void

/** In the order of asking; those in `fromEnd` come after the others, the last first. */
const waiting = new Set<Job>()
const fromEnd = new Set<Job>()
let isComing = false
let left = atOnce
let framesLeft = 0

/** `frameMs`: when the frame began. */
function work(frameMs: number): void {
  if (performance.now() - frameMs > usedMs && framesLeft < mostLeft) {
    framesLeft += 1
    requestAnimationFrame(work)
    return
  }
  framesLeft = 0
  isComing = false
  left = atOnce
  const end = performance.now() + frameWorkMs
  for (let job = nextJob(); job !== undefined; job = nextJob()) {
    callOff(job)
    flushSync(job)
    if (performance.now() >= end) break
  }
  if (nextJob() !== undefined) come()
}

function nextJob(): Job | undefined {
  const [first] = waiting
  return first ?? [...fromEnd].at(-1)
}

function callOff(job: Job): void {
  waiting.delete(job)
  fromEnd.delete(job)
}

function come(): void {
  if (isComing) return
  isComing = true
  setTimeout(() => requestAnimationFrame(work), betweenMs)
}

/** Does something in a frame that has time for it. Gives a way to call it off. */
function inTurn(job: Job, canWait: boolean): () => void {
  const jobs = canWait ? fromEnd : waiting
  jobs.add(job)
  come()
  return () => callOff(job)
}

/** Whether so many characters may be read now; takes them from what this frame has. */
function mayNow(length: number): boolean {
  come()
  if (length === 0) return true
  if (left <= 0) return false
  left -= length
  return true
}

/**
 * Becomes true when it is the turn of something that costs as much as so many characters: at once for the first ones of a frame. What
 * `canWait` never comes at once, and the last of it first.
 */
export function useTurn(length: number, canWait = false): boolean {
  const [isReady, setReady] = useState(() => !canWait && mayNow(length))
  useEffect(() => (isReady ? undefined : inTurn(() => setReady(true), canWait)), [isReady, canWait])
  return isReady
}
