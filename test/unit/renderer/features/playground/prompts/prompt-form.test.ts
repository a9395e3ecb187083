import type { PromptSummary, PromptVersion, PromptView } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import {
  isSameForm,
  toPromptDraft,
  toPromptForm,
} from '../../../../../../src/renderer/features/playground/prompts/prompt-form'
import { listPrompts } from '../../../../../../src/renderer/features/playground/prompts/prompts-page'
import { startI18n } from '../../../../../../src/renderer/i18n'

const version = (overrides: Partial<PromptVersion> = {}): PromptVersion => ({
  number: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  text: 'Sum up {{text}}',
  system: '',
  parameters: { temperature: 0.2, topP: 1 },
  variables: ['text'],
  ...overrides,
})
const prompt: PromptView = {
  id: 'p1',
  name: 'Summary',
  tags: ['work'],
  updatedAt: '2026-01-01T00:00:00.000Z',
  versions: [version({ number: 2 }), version()],
}

describe('the form of a prompt', () => {
  it('contains the newest version, without values that main creates', () => {
    expect(toPromptDraft(toPromptForm(prompt), 'p1')).toEqual({
      id: 'p1',
      name: 'Summary',
      tags: ['work'],
      text: 'Sum up {{text}}',
      system: '',
      parameters: { temperature: 0.2, topP: 1 },
    })
  })

  it('is unchanged when only parameter order or surrounding blanks differ', () => {
    const form = toPromptForm(prompt)
    expect(isSameForm(form, { ...form, name: ' Summary ', parameters: { topP: 1, temperature: 0.2 } })).toBe(true)
    expect(isSameForm(form, { ...form, parameters: { temperature: 0.3, topP: 1 } })).toBe(false)
    expect(isSameForm(form, { ...form, tags: ['work', 'home'] })).toBe(false)
  })
})

describe('the list of prompts', () => {
  const entry = (name: string, tags: string[], day: number): PromptSummary => ({
    id: name,
    name,
    tags,
    updatedAt: `2026-01-0${day}T00:00:00.000Z`,
    versions: 1,
    preview: `About ${name}`,
  })
  const prompts = [entry('Dịch', ['work'], 1), entry('Chào', ['work', 'home'], 3), entry('Ânswer', [], 2)]
  const names = (summaries: readonly PromptSummary[]) => summaries.map(({ name }) => name)

  it('is sorted by time or by name in the language of the window', async () => {
    await startI18n('vi')
    expect(names(listPrompts(prompts, { text: '', tags: [], order: 'newest' }))).toEqual(['Chào', 'Ânswer', 'Dịch'])
    expect(names(listPrompts(prompts, { text: '', tags: [], order: 'name' }))).toEqual(['Ânswer', 'Chào', 'Dịch'])
  })
})
