import type { ConnectionView, ResourceAnswer } from '@shared/contract'
import { CircleCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Callout } from '../../ui/callout'
import { SkeletonRows } from '../../ui/skeleton'
import { ProgressBar } from '../../ui/spinner'
import { HeldSecrets } from '../resources/held-secrets'
import { ResourceFailure } from '../resources/resource-failure'
import styles from './models.module.css'
import { UseForInference } from './use-for-inference'

interface KeyProps {
  readonly connection: ConnectionView
  readonly name: string
}

/** What the platform tells of a key now: its secret, with copy, keep and use for inference. */
function KeySecret({ connection, name, answer }: KeyProps & { readonly answer: ResourceAnswer }) {
  const { t } = useTranslation('models')
  const connectionId = connection.id
  if (answer.secrets.length === 0) return <Callout tone="info" title={t('keys.noSecret')} />
  return (
    <HeldSecrets
      secrets={answer.secrets}
      connectionId={connectionId}
      keepAs={{ kind: 'platformApiKey', name }}
      actions={({ handle }) => <UseForInference connectionId={connectionId} of={{ handle }} />}
    />
  )
}

function Ready({ connection, name }: KeyProps) {
  const { t } = useTranslation('models')
  const key = useCall('resources.call', {
    connectionId: connection.id,
    operation: 'aip.apiKeys.get',
    path: { name },
  })
  return (
    <div className={styles.made}>
      <p className={styles.ready} role="status">
        <CircleCheck size={16} strokeWidth={1.9} aria-hidden="true" />
        {t('keys.ready', { name })}
      </p>
      <Loaded query={key} skeleton={<SkeletonRows rows={1} />}>
        {(answer) => <KeySecret {...{ connection, name, answer }} />}
      </Loaded>
    </div>
  )
}

/** A key that is being made: how far the platform is, and its secret once it is there. */
export function KeyMade({ connection, name, answer }: KeyProps & { readonly answer: ResourceAnswer }) {
  const { t } = useTranslation('models')
  const { data = [] } = useCall('operations.list', {})
  const operation = data.find(({ id }) => id === answer.operationId)
  // Taken off the list: it is no longer followed, and what came of it can only be asked for.
  const state = operation?.state ?? (answer.operationId === undefined ? 'succeeded' : 'running')
  if (state === 'succeeded') return <Ready connection={connection} name={name} />
  if (state === 'failed' && operation?.failure) {
    return <ResourceFailure failure={operation.failure} connection={connection} address="aipApiUrl" />
  }
  return (
    <div className={styles.made}>
      <p role="status">{t('keys.making', { name })}</p>
      <ProgressBar label={t('keys.making', { name })} />
      <p className={styles.quiet}>{t('keys.makingHint')}</p>
    </div>
  )
}
