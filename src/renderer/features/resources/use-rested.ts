import { useCallback, useEffect, useRef, useState } from 'react'

/** What is typed while `value` follows behind, as the address does. It is told, trimmed, once typing rests for `restMs`; a value from outside takes its place, but none that it told itself. */
export function useRested(value: string, tell: (text: string) => void, restMs: number) {
  const [text, setText] = useState(value)
  // Those that did not come back yet, the last that did first.
  const told = useRef([value])
  useEffect(() => {
    const at = told.current.indexOf(value)
    told.current = at < 0 ? [value] : told.current.slice(at)
    if (at < 0) setText(value)
  }, [value])
  const say = useCallback(
    (next: string): void => {
      const words = next.trim()
      if (words === told.current.at(-1)) return
      told.current.push(words)
      tell(words)
    },
    [tell],
  )
  useEffect(() => {
    const timer = setTimeout(() => say(text), restMs)
    return () => clearTimeout(timer)
  }, [text, say, restMs])
  return { text, setText, say }
}
