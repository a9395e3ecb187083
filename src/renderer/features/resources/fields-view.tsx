import type { HeldSecret, KeptSecret } from '@shared/contract'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Card, Section } from '../../ui/page'
import { Segmented } from '../../ui/radio-cards'
import { FieldsTree } from './fields-tree'
import type { Json } from './resource'
import styles from './resources.module.css'
import { SecretButtons } from './secret-buttons'

const views = ['fields', 'json'] as const

/** What came back as JSON, with copy; secrets are masked in it. */
export function RawJson({ data }: { readonly data: Json }) {
  const { t } = useTranslation(['resources', 'common'])
  const text = JSON.stringify(data, undefined, 2)
  return (
    <div className={styles.raw}>
      <span className={styles.rawCopy}>
        <CopyText text={text} label={t('common:copyNamed', { what: 'JSON' })} />
      </span>
      <pre>{text}</pre>
    </div>
  )
}

export interface FieldsViewProps {
  readonly data: Json
  readonly secrets: readonly HeldSecret[]
  readonly connectionId: string
  /** What a secret of it is kept as. */
  readonly keepAs: Pick<KeptSecret, 'kind' | 'name'>
  /** More that can be done with a secret of it. */
  readonly secretActions?: (secret: HeldSecret) => ReactNode
}

/** Every field that came back, as a tree or as JSON. */
export function FieldsView({ data, secrets, connectionId, keepAs, secretActions }: FieldsViewProps) {
  const { t } = useTranslation('resources')
  const [view, setView] = useState<(typeof views)[number]>('fields')
  return (
    <Section
      title={t('allFields')}
      actions={
        <Segmented
          label={t('viewAs')}
          value={view}
          onValueChange={(value) => setView(views.find((one) => one === value) ?? 'fields')}
          segments={views.map((value) => ({ value, label: t(`views.${value}`) }))}
        />
      }
    >
      <Card>
        {view === 'json' ? (
          <RawJson data={data} />
        ) : (
          <FieldsTree
            data={data}
            secrets={secrets}
            renderSecret={(secret) => (
              <SecretButtons {...{ secret, connectionId, keepAs }}>{secretActions?.(secret)}</SecretButtons>
            )}
          />
        )}
      </Card>
    </Section>
  )
}
