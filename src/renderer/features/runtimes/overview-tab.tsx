import type { ResourceAnswer } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { ControlRow } from '../../ui/control-row'
import { Card, Section } from '../../ui/page'
import { FieldsView } from '../resources/fields-view'
import { fieldOf, isPlain } from '../resources/lookup'
import type { Json, ResourceAction } from '../resources/resource'
import { names } from './names'
import type { OpenRuntime } from './open-runtime'
import { resetServiceAccount } from './runtimes'
import styles from './runtimes.module.css'

interface OverviewProps extends OpenRuntime {
  readonly answer: ResourceAnswer
  readonly onDo: (action: ResourceAction) => void
}

function ClientId({ row }: { readonly row: Json }) {
  const { t } = useTranslation(['runtimes', 'common'])
  const clientId = fieldOf(row, names.clientId)
  if (!isPlain(clientId)) return t('runtimes:account.noId')
  return (
    <span className={styles.clientId}>
      <Code quiet>{String(clientId)}</Code>
      <CopyText text={String(clientId)} label={t('common:copyNamed', { what: t('runtimes:account.id') })} />
    </span>
  )
}

/** What a runtime is: its service account, and every field that came back. */
export function OverviewTab({ connection, subject, answer, onDo }: OverviewProps) {
  const { t } = useTranslation('runtimes')
  return (
    <>
      <Section title={t('account.title')} description={t('account.text')}>
        <Card flush>
          <ControlRow
            label={t('account.id')}
            hint={<ClientId row={subject.row} />}
            control={
              <Button icon={resetServiceAccount.icon} onClick={() => onDo(resetServiceAccount)}>
                {t('reset.label')}
              </Button>
            }
          />
        </Card>
      </Section>
      <FieldsView
        data={answer.data ?? {}}
        secrets={answer.secrets}
        connectionId={connection.id}
        keepAs={{ kind: 'serviceAccount', name: subject.name }}
      />
    </>
  )
}
