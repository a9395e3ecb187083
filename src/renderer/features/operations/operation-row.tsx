import type { OperationView } from '@shared/contract'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { RelativeTime } from '../../relative-time'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { Facts } from '../../ui/rows'
import { Spinner } from '../../ui/spinner'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './operations.module.css'
import { useOperationWords } from './use-operation-words'

/** The sign of how something stands. */
export function StateMark({ state }: Pick<OperationView, 'state'>) {
  if (state === 'running') return <Spinner size={15} />
  const Icon = state === 'failed' ? CircleAlert : CircleCheck
  return <Icon size={15} strokeWidth={1.9} className={styles[state]} aria-hidden="true" />
}

/** When it began, or ended. */
function When({ operation }: { readonly operation: OperationView }) {
  const { t } = useTranslation('operations')
  const { endedAt, startedAt } = operation
  const [before = '', after = ''] = t(endedAt ? 'ended' : 'began', { when: '\n' }).split('\n')
  return (
    <>
      {before}
      <RelativeTime at={endedAt ?? startedAt} />
      {after}
    </>
  )
}

/** One operation: what, where, since when, how it stands; taken off the list, or watched again. */
export function OperationRow({ operation }: { readonly operation: OperationView }) {
  const { t } = useTranslation('operations')
  const what = useOperationWords()(operation)
  const { id, state, connectionName, failure } = operation
  const dismissing = useAction('operations.dismiss', { invalidates: ['operations'] })
  const following = useAction('operations.follow', { invalidates: ['operations'] })
  return (
    <li className={styles.row}>
      <div className={styles.line}>
        <span className={styles.mark}>
          <StateMark state={state} />
        </span>
        <div className={styles.words}>
          <p className={styles.what}>{what}</p>
          <div className={styles.facts}>
            <Facts items={[t('at', { connection: connectionName }), <When key="when" operation={operation} />]} />
          </div>
        </div>
        <IconButton
          icon={X}
          size="sm"
          label={t(state === 'running' ? 'stopWatching' : 'dismiss', { what })}
          busy={dismissing.isPending}
          onClick={() => dismissing.mutate({ id })}
        />
      </div>
      {state === 'failed' && failure ? (
        <ExplainedFailure
          failure={failure}
          actions={
            <Button
              size="sm"
              busy={following.isPending}
              aria-label={t('retryNamed', { what })}
              onClick={() => following.mutate({ id })}
            >
              {t('retry')}
            </Button>
          }
        />
      ) : null}
    </li>
  )
}
