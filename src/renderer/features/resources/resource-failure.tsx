import type { ConnectionView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useAction } from '../../ipc'
import { editPath, showPath } from '../connections/paths'
import { ExplainedFailure } from '../failures/explained-failure'
import type { Resource } from './resource'
import styles from './resources.module.css'

interface ResourceFailureProps {
  readonly failure: Failure
  readonly connection: ConnectionView
  readonly address: Resource['address']
  readonly onRetry?: (() => void) | undefined
  readonly busy?: boolean
}

/** Stands before the server's own words in a message of main. */
const serversWords = ' The server says: '

/** Why a call failed: in our words, with what the platform said beneath, and the way to the connection where that helps. */
export function ResourceFailure({ failure, connection, address, onRetry, busy = false }: ResourceFailureProps) {
  const { t } = useTranslation('resources')
  const navigate = useNavigate()
  const { id, addresses, isBuiltIn } = connection
  const opening = useAction('sandbox.open', { invalidates: ['sandbox'], onSuccess: () => onRetry?.() })
  const said = failure.message.split(serversWords)[1]
  return (
    <div className={styles.failure}>
      <ExplainedFailure
        failure={opening.error?.failure ?? failure}
        context={{ requestAddress: addresses[address], isSandbox: isBuiltIn }}
        handlers={{
          tryAgain: onRetry,
          refresh: onRetry,
          startSandbox: () => opening.mutate({}),
          setAddress: () => void navigate(isBuiltIn ? '/sandbox' : editPath(id, address)),
          pasteKey: () => void navigate(showPath(id)),
        }}
        busy={busy || opening.isPending}
      />
      {said ? (
        <p className={styles.said}>
          {t('platformSaid')} <span lang="en">{said}</span>
        </p>
      ) : null}
    </div>
  )
}
