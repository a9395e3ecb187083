import { X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { Field, TextInput, useFieldWiring } from '../../ui/field'
import { VariablesArea, variablesIn } from '../compare'
import { countSet, ParametersFields, standardOf, TargetSelect } from '../playground'
import { type PromptForm, tagsOf, withTags } from './prompt-form'
import styles from './prompts.module.css'

interface PromptFieldsProps {
  readonly form: PromptForm
  readonly onChange: (form: PromptForm) => void
  /** Names are asked for once somebody tried to save. */
  readonly isNameMissing: boolean
}

function Variables({ form }: Pick<PromptFieldsProps, 'form'>) {
  const { t } = useTranslation('prompts')
  const names = variablesIn(form.text, form.system)
  if (names.length === 0) return <>{t('form.noVariables', { example: '{{name}}' })}</>
  return (
    <span className={styles.variables}>
      {t('form.variables')}
      {names.map((name) => (
        <code key={name}>{name}</code>
      ))}
    </span>
  )
}

function TargetControl({ form, onChange }: Omit<PromptFieldsProps, 'isNameMissing'>) {
  const { t } = useTranslation('prompts')
  const { id } = useFieldWiring()
  const { target, ...rest } = form
  return (
    <div className={styles.target}>
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

/** Everything of a prompt that can be changed. */
export function PromptFields({ form, onChange, isNameMissing }: PromptFieldsProps) {
  const { t, i18n } = useTranslation('prompts')
  const { data: prompts = [] } = useCall('playground.prompts', {})
  const count = countSet(form.parameters)
  return (
    <div className={styles.fields}>
      <div className={styles.names}>
        <Field label={t('form.name')} required error={isNameMissing ? t('form.nameMissing') : undefined}>
          <TextInput
            value={form.name}
            maxLength={200}
            autoFocus={form.name === ''}
            onChange={(event) => onChange({ ...form, name: event.target.value })}
          />
        </Field>
        <TagsField
          tags={form.tags}
          known={tagsOf(prompts, i18n.language)}
          onChange={(tags) => onChange({ ...form, tags })}
        />
      </div>
      <Field label={t('form.text')} hint={<Variables form={form} />}>
        <VariablesArea
          className={styles.text}
          value={form.text}
          rows={10}
          onChange={(event) => onChange({ ...form, text: event.target.value })}
        />
      </Field>
      <Field label={t('form.system')} optional>
        <VariablesArea
          value={form.system}
          rows={3}
          maxLength={200_000}
          onChange={(event) => onChange({ ...form, system: event.target.value })}
        />
      </Field>
      <Field label={t('form.target')} optional>
        <TargetControl form={form} onChange={onChange} />
      </Field>
      <details className={styles.parameters}>
        <summary>{count === 0 ? t('form.parameters') : t('form.parametersOf', { count })}</summary>
        <ParametersFields
          value={form.parameters}
          standard={standardOf(form.target)}
          onChange={(parameters) => onChange({ ...form, parameters })}
        />
      </details>
    </div>
  )
}

interface TagsFieldProps {
  readonly tags: readonly string[]
  /** Those of the other prompts, to choose from. */
  readonly known: readonly string[]
  readonly onChange: (tags: readonly string[]) => void
}

/** The tags of a prompt: typed and ended by a comma or Enter, each with a button that takes it away. */
function TagsField({ tags, known, onChange }: TagsFieldProps) {
  const { t } = useTranslation('prompts')
  const [typed, setTyped] = useState('')
  const take = (text: string): void => {
    onChange(withTags(tags, text))
    setTyped('')
  }
  return (
    <Field label={t('tags.label')} optional>
      <TextInput
        value={typed}
        list="prompt-tags"
        placeholder={tags.length === 0 ? t('tags.placeholder') : t('tags.more')}
        leading={
          tags.length === 0 ? null : (
            <span className={styles.tagList}>
              {tags.map((tag) => (
                <button
                  key={tag}
                  type="button"
                  className={styles.tag}
                  aria-label={t('tags.remove', { tag })}
                  onClick={() => onChange(tags.filter((one) => one !== tag))}
                >
                  {tag}
                  <X size={11} aria-hidden="true" />
                </button>
              ))}
            </span>
          )
        }
        onChange={({ target }) => (target.value.includes(',') ? take(target.value) : setTyped(target.value))}
        onBlur={() => take(typed)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take(typed)
          if (event.key === 'Backspace' && typed === '') onChange(tags.slice(0, -1))
        }}
      />
      <datalist id="prompt-tags">
        {known
          .filter((tag) => !tags.includes(tag))
          .map((tag) => (
            <option key={tag} value={tag} />
          ))}
      </datalist>
    </Field>
  )
}
