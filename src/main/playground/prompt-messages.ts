import { AppError } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import type { TalkMessage, TalkPart } from '../gateway/model-requests'
import type { PlaygroundStore, PromptMessage } from './ports'

/**
 * The messages for a model: files before text, with text files in fences under their name. Fails with
 * `playground.notFound` for a missing file.
 */
export async function buildMessages(
  line: readonly PromptMessage[],
  store: Pick<PlaygroundStore, 'attachments' | 'attachmentContent'>,
): Promise<TalkMessage[]> {
  const told: TalkMessage[] = []
  for (const { role, text, attachments } of line) {
    // Avoids one event loop turn per message, which adds up over thousands.
    const files = attachments.length === 0 ? [] : await Promise.all(attachments.map((id) => toPart(id, store)))
    const parts: TalkPart[] = [...files, ...(text === '' ? [] : [{ kind: 'text', text } as const])]
    if (parts.length > 0) told.push({ role, parts })
  }
  return told
}

async function toPart(
  id: string,
  store: Pick<PlaygroundStore, 'attachments' | 'attachmentContent'>,
): Promise<TalkPart> {
  const [attachment] = await store.attachments([id])
  if (!attachment) throw new AppError('playground.notFound', 'An attached file was removed. Add it again.')
  const content = Buffer.from(await store.attachmentContent(id))
  if (attachment.kind === 'image')
    return { kind: 'image', mediaType: attachment.mediaType, base64: content.toString('base64') }
  return { kind: 'text', text: fenced(attachment.name, content.toString('utf8')) }
}

/** A file's text under its name, in a fence longer than any in it. */
export function fenced(name: string, text: string): string {
  const maxTicks = Math.max(0, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(Math.max(3, maxTicks + 1))
  return `${cleanName(name.replaceAll('`', ' '))}\n${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`
}

const maxTitleLength = 80

/** Conversation title: the first line, or the name of the first file. */
export function suggestTitle(text: string, fileName: string | undefined): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? fileName ?? ''
  return cleanName(line, maxTitleLength) || '…'
}
