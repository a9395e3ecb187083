import type { PromptDraft, PromptSummary, PromptVersion, PromptView } from '@shared/contract'
import { listVariables } from '@shared/playground'
import { hashKey } from '@tanstack/react-query'
import i18next from 'i18next'
import { X } from 'lucide-react'
import { useState } from 'react'
import { getLocale } from '../../../format'
import { useCall } from '../../../ipc'
import { Button } from '../../../ui/button'
import { Field, TextAreaField, TextField, useFieldAttributes } from '../../../ui/field'
import { countSetParameters, getStandard, ParametersFields, parseTags, TargetSelect } from '..'
import { growingAreaClass } from '../compare'

const t = i18next.getFixedT(null, 'prompts')

export type PromptForm = Omit<PromptDraft, 'id'>

export const emptyForm: PromptForm = { name: '', tags: [], text: '', system: '', parameters: {} }

export const toPromptBody = ({ text, system, target, parameters }: PromptVersion) => ({
  text,
  system,
  parameters,
  ...(target && { target }),
})

export function toPromptForm({ name, tags, versions }: PromptView): PromptForm {
  const [newest] = versions
  return { ...emptyForm, name, tags, ...(newest && toPromptBody(newest)) }
}

/** Whether two forms have the same content. Ignores the order of parameters. */
export const isSameForm = (a: PromptForm, b: PromptForm): boolean =>
  hashKey([toPromptDraft(a)]) === hashKey([toPromptDraft(b)])

export function toPromptDraft(form: PromptForm, id?: string): PromptDraft {
  return { ...form, ...(id !== undefined && { id }), name: form.name.trim() }
}

/** A prompt version as text for a diff. Omits sections that are empty in both versions. */
export function formatVersion(
  version: PromptVersion,
  otherVersion: PromptVersion,
  getHeading: (name: 'text' | 'system' | 'target' | 'parameters') => string,
): string {
  const toParts = ({ text, system, target, parameters }: PromptVersion) => ({
    text,
    system,
    target: target ? JSON.stringify(target, undefined, 2) : '',
    parameters: Object.keys(parameters).length === 0 ? '' : JSON.stringify(parameters, undefined, 2),
  })
  const [ownParts, otherParts] = [toParts(version), toParts(otherVersion)]
  const names = ['system', 'target', 'parameters'] as const
  const otherNames = names.filter((name) => ownParts[name] !== '' || otherParts[name] !== '')
  if (otherNames.length === 0) return ownParts.text
  return ['text' as const, ...otherNames].map((name) => `# ${getHeading(name)}\n\n${ownParts[name]}`).join('\n\n')
}

export const listTags = (prompts: readonly PromptSummary[]): readonly string[] =>
  [...new Set(prompts.flatMap(({ tags }) => tags))].sort((a, b) => a.localeCompare(b, getLocale()))

interface PromptFieldsProps {
  readonly form: PromptForm
  readonly onChange: (form: PromptForm) => void
  /** Whether to show an error because the name is missing. True only after an attempt to save. */
  readonly isNameMissing: boolean
}

function TargetControl({ form, onChange }: Omit<PromptFieldsProps, 'isNameMissing'>) {
  const { id } = useFieldAttributes()
  const { target, ...rest } = form
  return (
    <div className="flex flex-wrap items-center gap-2">
      <TargetSelect
        {...(id !== undefined && { buttonId: id })}
        label={t('form.target')}
        value={target}
        onChange={(chosen) => onChange({ ...rest, target: chosen })}
      />
      {target ? (
        <Button variant="ghost" size="sm" onClick={() => onChange(rest)}>
          {t('form.noTarget')}
        </Button>
      ) : null}
    </div>
  )
}

export function PromptFields({ form, onChange, isNameMissing }: PromptFieldsProps) {
  const count = countSetParameters(form.parameters)
  const variables = listVariables(form.text, form.system)
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="grid grid-cols-[repeat(auto-fit,minmax(240px,1fr))] gap-4">
        <TextField
          label={t('form.name')}
          required
          error={isNameMissing ? t('form.nameMissing') : undefined}
          value={form.name}
          maxLength={200}
          autoFocus={form.name === ''}
          onChange={(name) => onChange({ ...form, name })}
        />
        <TagsField tags={form.tags} onChange={(tags) => onChange({ ...form, tags: [...tags] })} />
      </div>
      <TextAreaField
        label={t('form.text')}
        hint={
          variables.length === 0 ? (
            t('form.noVariables', { example: '{{name}}' })
          ) : (
            <span className="inline-flex flex-wrap gap-x-2 gap-y-1">
              {t('form.variables')}
              {variables.map((name) => (
                <code key={name} className="rounded-xs bg-accent-soft px-1 text-accent-text">
                  {name}
                </code>
              ))}
            </span>
          )
        }
        className="field-sizing-content max-h-[50vh] min-h-45"
        value={form.text}
        rows={10}
        onChange={(text) => onChange({ ...form, text })}
      />
      <TextAreaField
        label={t('form.system')}
        optional
        className={growingAreaClass}
        value={form.system}
        rows={3}
        maxLength={200_000}
        onChange={(system) => onChange({ ...form, system })}
      />
      <Field label={t('form.target')} optional>
        <TargetControl form={form} onChange={onChange} />
      </Field>
      <details className="group">
        <summary className="w-fit rounded-sm text-muted group-open:mb-3">
          {count === 0 ? t('form.parameters') : t('form.parametersOf', { count })}
        </summary>
        <ParametersFields
          value={form.parameters}
          standard={getStandard(form.target)}
          onChange={(parameters) => onChange({ ...form, parameters })}
        />
      </details>
    </div>
  )
}

/** A comma or Enter ends a tag. */
function TagsField({ tags, onChange }: { tags: readonly string[]; onChange: (tags: readonly string[]) => void }) {
  const { data: prompts = [] } = useCall('playground.prompts', {})
  const [typed, setTyped] = useState('')
  const addTags = (text: string): void => {
    onChange(parseTags(text, tags))
    setTyped('')
  }
  return (
    <TextField
      label={t('tags.label')}
      optional
      value={typed}
      suggestions={listTags(prompts).filter((tag) => !tags.includes(tag))}
      placeholder={tags.length === 0 ? t('tags.placeholder') : t('tags.more')}
      leading={
        tags.length === 0 ? null : (
          <span className="flex flex-wrap gap-1">
            {tags.map((tag) => (
              <button
                key={tag}
                type="button"
                className="inline-flex h-5.5 items-center gap-0.75 whitespace-nowrap rounded-sm bg-hover px-1.5 text-sm hover:bg-pressed"
                aria-label={t('tags.remove', { tag })}
                onClick={() => onChange(tags.filter((otherTag) => otherTag !== tag))}
              >
                {tag}
                <X size={11} aria-hidden="true" />
              </button>
            ))}
          </span>
        )
      }
      onChange={(text) => (text.includes(',') ? addTags(text) : setTyped(text))}
      onBlur={() => addTags(typed)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') addTags(typed)
        if (event.key === 'Backspace' && typed === '') onChange(tags.slice(0, -1))
      }}
    />
  )
}
