import type { HeldSecret, ResourceAnswer } from '@shared/contract'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Card, Section } from '../../ui/page'
import { FieldsTree } from './fields-tree'
import { HeldSecrets } from './held-secrets'
import type { SecretButtonsProps } from './secret-buttons'

interface AnswerViewProps extends Pick<SecretButtonsProps, 'connectionId' | 'keepAs'> {
  readonly answer: ResourceAnswer
  readonly secretActions?: ((secret: HeldSecret) => ReactNode) | undefined
}

/** What came back from a call: its secrets with what can be done with them, and all its fields. */
export function AnswerView({ answer, connectionId, keepAs, secretActions }: AnswerViewProps) {
  const { t } = useTranslation('resources')
  const { data, secrets } = answer
  return (
    <>
      {secrets.length > 0 ? (
        <HeldSecrets {...{ secrets, connectionId, keepAs }} {...(secretActions && { actions: secretActions })} />
      ) : null}
      {data === undefined ? null : (
        <Section title={t('allFields')}>
          <Card>
            <FieldsTree data={data} secrets={secrets} />
          </Card>
        </Section>
      )}
    </>
  )
}
