import { PlaygroundParameters, PlaygroundTarget, type PromptDraft, type PromptView } from '@shared/contract'
import { CleanName } from '@shared/contract/common'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import { parseJson } from '../gateway/server-message'

const formatName = 'platform-companion-prompts'

const Version = z.strictObject({
  createdAt: z.iso.datetime(),
  text: z.string().max(2_000_000),
  system: z.string().max(200_000),
  target: PlaygroundTarget.optional(),
  parameters: PlaygroundParameters,
})

const File = z.strictObject({
  format: z.literal(formatName),
  version: z.literal(1),
  prompts: z
    .array(
      z.strictObject({
        name: CleanName(200),
        tags: z.array(CleanName(40)).max(20),
        /** The newest first. */
        versions: z.array(Version).min(1).max(1000),
      }),
    )
    .max(1000),
})

/** A prompt as it is imported: one draft for each version, the oldest first. */
export type ImportedPrompt = readonly Omit<PromptDraft, 'id'>[]

/** Prompts with all their versions as JSON (docs/playground.md). */
export function promptsJson(prompts: readonly PromptView[]): string {
  const written = prompts.map(({ name, tags, versions }) => ({
    name,
    tags,
    versions: versions.map(({ number: _, variables: __, ...version }) => version),
  }))
  return `${JSON.stringify({ format: formatName, version: 1, prompts: written }, undefined, 2)}\n`
}

/** What such a file holds. Fails with `playground.unreadable` for everything that `promptsJson` does not write. */
export function readPrompts(text: string): ImportedPrompt[] {
  const parsed = File.safeParse(parseJson(text))
  if (parsed.success) {
    return parsed.data.prompts.map(({ name, tags, versions }) =>
      versions.toReversed().map(({ createdAt: _, ...version }) => ({ name, tags, ...version })),
    )
  }
  const where = parsed.error.issues[0]?.path.join('.').slice(0, 100)
  const message = `This is not a file of prompts that this app exported${where ? ` (at ${where})` : ''}.`
  throw new AppError('playground.unreadable', message)
}
