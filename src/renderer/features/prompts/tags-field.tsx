import { X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Field, TextInput } from '../../ui/field'
import { withTags } from './prompt-form'
import styles from './prompts.module.css'

interface TagsFieldProps {
  readonly tags: readonly string[]
  /** Those of the other prompts, to choose from. */
  readonly known: readonly string[]
  readonly onChange: (tags: readonly string[]) => void
}

/** The tags of a prompt: typed and ended by a comma or Enter, each with a button that takes it away. */
export function TagsField({ tags, known, onChange }: TagsFieldProps) {
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
