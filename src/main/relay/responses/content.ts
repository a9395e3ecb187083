import type { ResponsesContent, ResponsesPart } from './responses-request'
import { Untranslatable } from './untranslatable'

/** A part of a chat message. */
export type ChatPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: string } }
  | { readonly type: 'file'; readonly file: { readonly filename?: string; readonly file_data: string } }
  | { readonly type: 'input_audio'; readonly input_audio: unknown }

/** The words of a content; parts of other kinds are left out. */
export function textOf(content: ResponsesContent | null | undefined, between = '\n\n'): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  const texts = content.flatMap((part) => part.text ?? part.refusal ?? [])
  return texts.filter((text) => text !== '').join(between)
}

/** Content as chat-completions has it: plain text wherever there is nothing else. Throws `Untranslatable`. */
export function chatContent(content: ResponsesContent | null | undefined): string | readonly ChatPart[] {
  if (content === null || content === undefined || typeof content === 'string') return content ?? ''
  const parts = content.map(chatPart).filter((part) => part !== undefined)
  return parts.every(({ type }) => type === 'text') ? textOf(content) : parts
}

/** The parts of a tool's result that its message cannot hold: everything but text. Throws `Untranslatable`. */
export function partsBeside(content: ResponsesContent | undefined): readonly ChatPart[] {
  const parts = content === undefined ? '' : chatContent(content)
  return typeof parts === 'string' ? [] : parts.filter(({ type }) => type !== 'text')
}

function chatPart(part: ResponsesPart): ChatPart | undefined {
  if (part.type === 'input_image') return imagePart(part)
  if (part.type === 'input_file') return filePart(part)
  if (part.type === 'input_audio') return { type: 'input_audio', input_audio: part.input_audio }
  const text = part.text ?? part.refusal
  return typeof text === 'string' ? { type: 'text', text } : undefined
}

function imagePart({ image_url, detail }: ResponsesPart): ChatPart {
  const url = typeof image_url === 'string' ? image_url : image_url?.url
  if (url === undefined) throw new Untranslatable('an image that was uploaded before; send the image itself')
  return { type: 'image_url', image_url: typeof detail === 'string' ? { url, detail } : { url } }
}

function filePart({ file_data, filename }: ResponsesPart): ChatPart {
  if (typeof file_data !== 'string') {
    throw new Untranslatable('a file that was uploaded before or lies elsewhere; send the file itself')
  }
  return { type: 'file', file: { ...(typeof filename === 'string' ? { filename } : {}), file_data } }
}
