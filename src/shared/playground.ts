import type { ComparisonCase, ComparisonSetup, PlaygroundAnswer } from './contract'

/** Matches a variable of a prompt: `{{name}}`, with optional blanks around the name. */
const variablePattern = /\{\{([^{}]{1,200})\}\}/g

export const maxVariableNameLength = 60

/** Unique variable names in order of appearance. */
export const listVariables = (...texts: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(
    texts.flatMap((text = '') =>
      [...text.matchAll(variablePattern)]
        .map(([, name = '']) => name.trim())
        .filter((name) => name !== '' && name.length <= maxVariableNameLength),
    ),
  ),
]

/** Replaces variables in a text by their values. Unknown variables stay in the text as written. */
export const fillVariables = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(variablePattern, (placeholder, name: string) =>
    Object.hasOwn(values, name.trim()) ? (values[name.trim()] ?? placeholder) : placeholder,
  )

type RowSetup = Pick<ComparisonSetup, 'repeats' | 'cases'>

/** Maximum rows of a comparison. Each test case has one row per run. */
export const maxComparisonRows = 200

/** Number of runs per test case, reduced to keep at most `maxComparisonRows` rows. */
export const getRepeatCount = ({ repeats = 1, cases }: RowSetup): number =>
  Math.max(1, Math.min(repeats, Math.floor(maxComparisonRows / Math.max(1, cases.length))))

interface ComparisonRow {
  /** Undefined in a comparison without test cases. */
  readonly testCase: ComparisonCase | undefined
  /** Number of the test case, counted from 1. */
  readonly number: number
  /** Number of the run, counted from 1. */
  readonly repeat: number
}

/** Rows of a comparison. Without test cases, it has one row per run. */
export const listComparisonRows = (setup: RowSetup): readonly ComparisonRow[] =>
  (setup.cases.length === 0 ? [undefined] : setup.cases).flatMap((testCase, index) =>
    Array.from({ length: getRepeatCount(setup) }, (_, repeatIndex) => ({
      testCase,
      number: index + 1,
      repeat: repeatIndex + 1,
    })),
  )

const openTag = '<think(?:ing)?>'
const closeTag = '</think(?:ing)?>'
/** Maximum characters of an answer that is searched for reasoning. Longer answers would take seconds. */
const maxSearchedLength = 1_000_000
const thinkTagPattern = /<\/?think(?:ing)?>/i
const closePattern = new RegExp(closeTag, 'gi')
const fence = '^ {0,3}(`{3,}|~{3,})[^\\n]*(?:\\n[^]*?(?:\\n {0,3}\\1[`~]*[ \\t]*$|$(?![^]))|$(?![^]))'
const inlineCode = '(`+)[^`\\n]+\\2(?!`)'
const thinkingToken = new RegExp(`${fence}|${inlineCode}|^[ \\t]*${openTag}|${closeTag}`, 'gim')

/**
 * Splits reasoning between `<think>` and `</think>` from an answer. Opening tags count at line starts only. An unclosed
 * block extends to the end, an unopened one starts at the beginning. Ignores tags in code.
 */
function splitThinking(answer: string): { readonly thinking: string; readonly text: string } {
  if (answer.length > maxSearchedLength || !thinkTagPattern.test(answer)) return { thinking: '', text: answer }
  const thinkingParts: string[] = []
  let text = ''
  let position = 0
  thinkingToken.lastIndex = 0
  for (let tagMatch = thinkingToken.exec(answer); tagMatch; tagMatch = thinkingToken.exec(answer)) {
    const [tag] = tagMatch
    const end = tagMatch.index + tag.length
    text += answer.slice(position, tagMatch.index)
    position = end
    if (tag.trimStart().startsWith('</') && thinkingParts.length === 0) {
      thinkingParts.push(text)
      text = ''
    } else if (/^\s*</.test(tag) && !tag.trimStart().startsWith('</')) {
      closePattern.lastIndex = end
      const closingTagMatch = closePattern.exec(answer)
      thinkingParts.push(answer.slice(end, closingTagMatch?.index))
      position = closingTagMatch ? closePattern.lastIndex : answer.length
    } else text += tag
    thinkingToken.lastIndex = position
  }
  text += answer.slice(position)
  if (thinkingParts.length === 0) return { thinking: '', text: answer }
  return {
    thinking: thinkingParts
      .map((part) => part.trim())
      .filter(Boolean)
      .join('\n\n'),
    text: text.trimStart(),
  }
}

/** Moves tagged reasoning from the text to `thinking`, so that it is not sent back, searched or exported. */
export function withoutThinkTags(answer: PlaygroundAnswer): PlaygroundAnswer {
  const { thinking, text } = splitThinking(answer.text)
  if (text === answer.text) return answer
  const parts = [answer.thinking ?? '', thinking].filter((part) => part !== '')
  const removedLength = answer.text.length - text.length
  return {
    ...answer,
    text,
    ...(parts.length > 0 && { thinking: parts.join('\n\n') }),
    ...(answer.toolCalls && {
      toolCalls: answer.toolCalls.map((call) => ({ ...call, at: Math.max(0, (call.at ?? 0) - removedLength) })),
    }),
  }
}
