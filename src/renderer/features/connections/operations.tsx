import type { OperationView } from '@shared/contract'
import i18next from 'i18next'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { Fragment } from 'react'
import { ExplainedFailure } from '../../failures'
import { useAction } from '../../ipc'
import { RelativeTime } from '../../relative-time'
import { IconButton } from '../../ui/icon-button'
import { InlineDetails } from '../../ui/rows'
import { Spinner } from '../../ui/skeleton'

const t = i18next.getFixedT(null, 'operations')

const marks = { succeeded: 'text-success', failed: 'text-danger' } as const

export function OperationStateIcon({ state }: Pick<OperationView, 'state'>) {
  if (state === 'running') return <Spinner size={15} />
  const Icon = state === 'failed' ? CircleAlert : CircleCheck
  return <Icon size={15} strokeWidth={1.9} className={marks[state]} aria-hidden="true" />
}

/** Row of a long-running operation. Its buttons stop watching the operation, or resume watching after a failure. */
export function OperationRow({ operation }: { readonly operation: OperationView }) {
  const operationText = formatOperation(operation)
  const { id, state, connectionName, failure, startedAt, endedAt } = operation
  const [textBefore, textAfter] = t(endedAt ? 'ended' : 'began', { when: '\n' }).split('\n')
  const dismissOperationAction = useAction('operations.dismiss', { invalidates: ['operations'] })
  const followOperation = useAction('operations.follow', { invalidates: ['operations'] })
  return (
    <li className="flex flex-col gap-2 border-t py-2.5 pr-2.5 pl-4 first:border-t-0">
      <div className="flex items-start gap-2.5">
        <span className="inline-flex pt-0.5 text-accent-text">
          <OperationStateIcon state={state} />
        </span>
        <div className="min-w-0 flex-1">
          <p className="wrap-anywhere font-strong">{operationText}</p>
          <div className="text-muted text-sm">
            <InlineDetails
              items={[
                t('at', { connection: connectionName }),
                <Fragment key="when">
                  {textBefore}
                  <RelativeTime at={endedAt ?? startedAt} />
                  {textAfter}
                </Fragment>,
              ]}
            />
          </div>
        </div>
        <IconButton
          icon={X}
          size="sm"
          label={t(state === 'running' ? 'stopWatching' : 'dismiss', { what: operationText })}
          busy={dismissOperationAction.isPending}
          onClick={() => dismissOperationAction.mutate({ id })}
        />
      </div>
      {state === 'failed' && failure ? (
        <ExplainedFailure
          failure={failure}
          actions={[
            {
              label: t('retry'),
              busy: followOperation.isPending,
              'aria-label': t('retryNamed', { what: operationText }),
              onClick: () => followOperation.mutate({ id }),
            },
          ]}
        />
      ) : null}
    </li>
  )
}

/** Describes an operation and its state, for example "Creating API key ci-runner". */
export const formatOperation = ({ kind, state, subject }: OperationView): string =>
  t(`kinds.${kind}.${state}`, { subject })
