import { useEffect } from 'react'
import { renderMarkdown } from './parse'

/** One of each kind. */
const samples = [
  '## A heading',
  'Words that are **bold**, *leaning*, `code`, ~~gone~~, or [a link](https://example.org).',
  '- one\n- two\n  1. three',
  '| Name | Count |\n| --- | ---: |\n| one | 1 |',
  '> quoted\n\n---',
  'A sum $x$ and a note[^1]\n\n[^1]: of it.',
]
/** What was never run is slow for the first few times. */
const rounds = 4
const languages = ['ts', 'python', 'bash', 'json']

const steps: readonly (() => unknown)[] = [
  ...Array.from({ length: rounds }, () => samples.map((sample) => () => renderMarkdown(sample))).flat(),
  () => import('./highlighted-code'),
  ...languages.map(
    (language) => async () => (await import('./highlighted-code')).HighlightedCode({ language, text: '{ "one": 1 }' }),
  ),
  () => import('./set-formula'),
  async () => (await import('./set-formula')).SetFormula({ source: 'x^2', isDisplayed: false }),
]

let done = 0

/** Loads and tries what reads Markdown, colours code and sets formulas while the window rests, step by step: before an answer needs it. */
export function useMarkdownAhead(): void {
  useEffect(() => {
    let id = 0
    let isLeft = false
    const next = (): void => {
      const step = steps[done]
      if (!step || isLeft) return
      id = requestIdleCallback(async () => {
        done += 1
        try {
          await step()
        } catch {
          // What does not load now is loaded where it is used, and says so there.
          return
        }
        next()
      })
    }
    next()
    return () => {
      isLeft = true
      cancelIdleCallback(id)
    }
  }, [])
}
