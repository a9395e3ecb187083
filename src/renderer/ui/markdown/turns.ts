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

const waiting = new Set<() => void>()
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
  for (const job of waiting) {
    waiting.delete(job)
    flushSync(job)
    if (performance.now() >= end) break
  }
  if (waiting.size > 0) come()
}

function come(): void {
  if (isComing) return
  isComing = true
  setTimeout(() => requestAnimationFrame(work), betweenMs)
}

/** Does something in a frame that has time for it; the one that waits longest first. Gives a way to call it off. */
function inTurn(job: () => void): () => void {
  waiting.add(job)
  come()
  return () => void waiting.delete(job)
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
 * Becomes true when it is the turn of something that costs as much as so many characters: at once for the first ones of a frame, unless it
 * `canWait`.
 */
export function useTurn(length: number, canWait = false): boolean {
  const [isReady, setReady] = useState(() => !canWait && mayNow(length))
  useEffect(() => (isReady ? undefined : inTurn(() => setReady(true))), [isReady])
  return isReady
}
