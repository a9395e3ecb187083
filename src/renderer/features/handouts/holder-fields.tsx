import { useTranslation } from 'react-i18next'
import { Field, TextInput } from '../../ui/field'
import { Segmented } from '../../ui/radio-cards'
import styles from './handouts.module.css'
import type { Handout } from './use-handout'
import { longest } from './wish'

/** To whom: a person or a tool, by name, and what for. */
export function HolderFields({ form }: { readonly form: Handout }) {
  const { t } = useTranslation('handouts', { keyPrefix: 'form' })
  const { draft, change } = form
  const problem = (field: keyof typeof longest): string | undefined =>
    draft[field].trim().length > longest[field] ? t('tooLong', { most: longest[field] }) : undefined
  return (
    <>
      <div>
        <Segmented
          label={t('kind')}
          value={draft.kind}
          onValueChange={(value) => change({ kind: value === 'tool' ? 'tool' : 'person' })}
          segments={[
            { value: 'person', label: t('person') },
            { value: 'tool', label: t('tool') },
          ]}
        />
      </div>
      <div className={styles.two}>
        <Field
          label={t('name')}
          required
          hint={t(draft.kind === 'person' ? 'personHint' : 'toolHint')}
          error={problem('name')}
        >
          <TextInput autoFocus value={draft.name} onChange={(event) => change({ name: event.target.value })} />
        </Field>
        <Field label={t('purpose')} optional hint={t('purposeHint')} error={problem('purpose')}>
          <TextInput value={draft.purpose} onChange={(event) => change({ purpose: event.target.value })} />
        </Field>
      </div>
    </>
  )
}
