import type { PlaygroundAnswer } from './contract'

const openTag = '<think(?:ing)?>'
const closeTag = '</think(?:ing)?>'
/** Maximum characters of an answer that is searched for reasoning. Longer answers would take seconds. */
const maxLength = 1_000_000
const thinkTagPattern = /<\/?think(?:ing)?>/i
const closePattern = new RegExp(closeTag, 'gi')
const fence = '^ {0,3}(`{3,}|~{3,})[^\\n]*(?:\\n[^]*?(?:\\n {0,3}\\1[`~]*[ \\t]*$|$(?![^]))|$(?![^]))'
const inlineCode = '(`+)[^`\\n]+\\2(?!`)'
const token = new RegExp(`${fence}|${inlineCode}|^[ \\t]*${openTag}|${closeTag}`, 'gim')

/**
 * Splits reasoning between `<think>` and `</think>` from an answer. Opening tags count at line starts only. An unclosed
 * block extends to the end, an unopened one starts at the beginning. Ignores tags in code.
 */
function splitThinking(answer: string): { readonly thinking: string; readonly text: string } {
  if (answer.length > maxLength || !thinkTagPattern.test(answer)) return { thinking: '', text: answer }
  const thinkingParts: string[] = []
  let text = ''
  let position = 0
  token.lastIndex = 0
  for (let tagMatch = token.exec(answer); tagMatch; tagMatch = token.exec(answer)) {
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
    token.lastIndex = position
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
