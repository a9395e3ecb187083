import type { OperationView, RotationView } from '@shared/contract'
import i18next from 'i18next'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { showFailureToast } from '../../i18n/failures'
import { CallError, useAction, useCall } from '../../ipc'
import { rotationPath } from '../../paths'
import { Button, ButtonLink } from '../../ui/button'
import { joinClassNames } from '../../ui/cn'
import { IconButton } from '../../ui/icon-button'
import { InlineDetails } from '../../ui/rows'
import { ProgressBar, Spinner } from '../../ui/skeleton'
import { toast } from '../../ui/toast'
import { Tooltip } from '../../ui/tooltip'
import { formatOperation, OperationRow, OperationStateIcon } from '../connections'
import {
  findFailure,
  findProgress,
  getStepTitle,
  isEnded,
  isHandoverOpen,
  needsUserAction,
  useRotationActions,
  useRotations,
} from '../keys/rotation'

const t = i18next.getFixedT(null, ['operations', 'rotation'])

interface ActiveWork {
  readonly operations: readonly OperationView[]
  readonly rotations: readonly RotationView[]
}

/** Number of operations and rotations in the most important state that occurs: failed, else running, else done. */
function listCounts({ operations, rotations }: ActiveWork) {
  const states = [...operations.map(({ state }) => state), ...rotations.map(getRotationState)]
  const countOperations = (state: OperationView['state']): number =>
    states.filter((otherState) => otherState === state).length
  const state =
    (['failed', 'running', 'succeeded'] as const).find((candidate) => countOperations(candidate) > 0) ?? 'succeeded'
  // A rotation that waits for the user counts as "needs you" instead of "failed".
  const needsUser = state === 'failed' && rotations.some(needsUserAction)
  const word = needsUser ? 'needs' : state === 'succeeded' ? 'done' : state
  const ended = states.length - countOperations('running')
  return { state, word, count: countOperations(state), ended, all: states.length } as const
}

function List({ activeWork }: { readonly activeWork: ActiveWork }) {
  const { operations, rotations } = activeWork
  const { ended, all } = listCounts(activeWork)
  const dismissOperationAction = useAction('operations.dismiss', { invalidates: ['operations'] })
  const clearSucceeded = (): void => {
    for (const { id, state } of operations) if (state === 'succeeded') dismissOperationAction.mutate({ id })
  }
  return (
    <>
      <header className="border-b px-4 pt-3 pb-2.5">
        <h2 className="font-semibold">{t('title')}</h2>
        <p className="text-muted text-sm">{t('hint')}</p>
        {ended < all ? (
          <div className="mt-2 grid grid-cols-[1fr_auto] items-center gap-2.5 text-muted text-sm">
            <ProgressBar value={ended / all} label={t('title')} />
            <span className="tabular-nums">{t('progress', { ended, count: all })}</span>
          </div>
        ) : null}
      </header>
      <ul className="min-h-0 overflow-auto" aria-label={t('operations:list')}>
        {rotations.map((rotation) => (
          <RotationRow key={rotation.id} rotation={rotation} />
        ))}
        {operations.map((operation) => (
          <OperationRow key={operation.id} operation={operation} />
        ))}
      </ul>
      {operations.some(({ state }) => state === 'succeeded') ? (
        <footer className="flex justify-end border-t px-2.5 py-2">
          <Button size="sm" variant="ghost" onClick={clearSucceeded}>
            {t('clear')}
          </Button>
        </footer>
      ) : null}
    </>
  )
}

/** Focuses the opened list instead of the button that removes its first row. */
function focusContent(event: Event): void {
  event.preventDefault()
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
}

const counter = joinClassNames(
  'flex h-6.5 w-full items-center gap-2.25 rounded-md px-2.75 text-left text-muted text-sm',
  'hover:bg-hover data-[state=open]:bg-hover',
)
const counterTones = {
  running: '*:first:text-accent-text',
  succeeded: '*:first:text-success',
  failed: 'text-danger',
} as const

function Counter({ activeWork, collapsed }: { readonly activeWork: ActiveWork; readonly collapsed: boolean }) {
  const { state, word, count, ended, all } = listCounts(activeWork)
  const Icon = state === 'failed' ? CircleAlert : CircleCheck
  const text = t(word, { count })
  return (
    <Popover.Root>
      <Tooltip content={text} side="right" disabled={!collapsed}>
        <Popover.Trigger
          className={joinClassNames(counter, counterTones[state], collapsed && 'justify-center px-0')}
          aria-label={`${text}. ${t('open')}`}
        >
          {state === 'running' ? <Spinner /> : <Icon size={14} strokeWidth={1.8} aria-hidden="true" />}
          {collapsed ? null : <span className="min-w-0 flex-1 truncate">{text}</span>}
          {!collapsed && all > 1 && state === 'running' ? (
            <span className="text-faint tabular-nums">
              {ended}/{all}
            </span>
          ) : null}
        </Popover.Trigger>
      </Tooltip>
      <Popover.Portal>
        <Popover.Content
          className={joinClassNames(
            'z-50 flex max-h-(--radix-popover-content-available-height) w-100 max-w-[calc(100vw-32px)]',
            'animate-appear flex-col rounded-xl border bg-raised shadow-float focus-visible:outline-none',
          )}
          side="right"
          align="end"
          sideOffset={8}
          collisionPadding={8}
          aria-label={t('title')}
          onOpenAutoFocus={focusContent}
        >
          <List activeWork={activeWork} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

/** Progress of running operations. Renders nothing without any. */
export function OperationsState({ collapsed }: { readonly collapsed: boolean }) {
  const { data } = useCall('operations.list', {})
  useAnnounceFailures(data)
  const { data: rotations } = useRotations()
  useAnnounceRotations(rotations)
  const shownRotations = rotations?.filter((rotation) => getRotationState(rotation) !== undefined) ?? []
  const activeWork = { operations: data ?? [], rotations: shownRotations }
  const { word, count, all } = listCounts(activeWork)
  return (
    <>
      <span className="sr-only" role="status">
        {all > 0 ? t(word, { count }) : ''}
      </span>
      {all > 0 ? <Counter activeWork={activeWork} collapsed={collapsed} /> : null}
    </>
  )
}

/** Announces each failure once while the window is open. Earlier failures appear only in the list. */
function useAnnounceFailures(operations: readonly OperationView[] | undefined): void {
  const announcedIds = useRef(new Set<string>())
  useEffect(() => {
    for (const operation of operations ?? []) {
      const { id, state, endedAt = '' } = operation
      // An operation that is watched again can fail a second time.
      const key = `${id} ${endedAt}`
      const isNew = Date.parse(endedAt) >= performance.timeOrigin
      if (state !== 'failed' || !isNew || announcedIds.current.has(key)) continue
      announcedIds.current.add(key)
      showFailureToast({ title: formatOperation(operation) })(operation.failure && new CallError(operation.failure))
    }
  }, [operations])
}

/** Shows a toast when a rotation ends or stops, unless the rotation's page is open. */
function useAnnounceRotations(rotations: readonly RotationView[] | undefined): void {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const runningIds = useRef(new Set<string>())
  useEffect(() => {
    for (const rotation of rotations ?? []) {
      const { id, state, oldKeyName: key } = rotation
      if (state === 'running') runningIds.current.add(id)
      else if (runningIds.current.delete(id) && !pathname.startsWith('/rotate/')) {
        const action = { label: t('operations:look'), onClick: () => void navigate(rotationPath(id)) }
        // A stopped rotation without a failure was stopped by the user.
        if (needsUserAction(rotation) && findFailure(rotation)) {
          void toast(t('rotation:view.stuck', { key }), { tone: 'danger', action })
        } else if (isHandoverOpen(rotation)) void toast(t('rotation:view.handingOver', { key }), { action })
        else if (state === 'done' || state === 'waiting') void toast(t('rotation:view.rotated', { key }), { action })
      }
    }
  }, [rotations, pathname, navigate])
}

/** Row with the progress of a rotation. Links to its page. */
function RotationRow({ rotation }: { readonly rotation: RotationView }) {
  const { oldKeyName: key, planName: plan } = rotation
  const state = getRotationState(rotation) ?? 'succeeded'
  const rotationText = t(`rotation:operation.${rotation.state === 'undone' ? 'undone' : state}`, { key })
  const { dismiss, isDismissing } = useRotationActions(rotation)
  const { at, count, step } = findProgress(rotation)
  return (
    <li className="flex flex-col gap-2 border-t py-2.5 pr-2.5 pl-4 first:border-t-0">
      <div className="flex items-start gap-2.5">
        <span className="inline-flex pt-0.5 text-accent-text">
          <OperationStateIcon state={state} />
        </span>
        <div className="min-w-0 flex-1">
          <p className="wrap-anywhere font-strong">{rotationText}</p>
          <div className="text-muted text-sm">
            <InlineDetails
              items={[
                t('rotation:ofPlan', { plan }),
                !isEnded(rotation) && step && t('rotation:view.progress', { at, count, step: getStepTitle(step) }),
              ]}
            />
          </div>
        </div>
        <ButtonLink
          size="sm"
          to={rotationPath(rotation.id)}
          aria-label={t('operations:lookNamed', { what: rotationText })}
        >
          {t('operations:look')}
        </ButtonLink>
        {isEnded(rotation) ? (
          <IconButton
            icon={X}
            size="sm"
            label={t('operations:dismiss', { what: rotationText })}
            busy={isDismissing}
            onClick={dismiss}
          />
        ) : null}
      </div>
    </li>
  )
}

/** State of a rotation as shown in the list of operations. Undefined during the grace period, which can take days. */
function getRotationState(rotation: RotationView): OperationView['state'] | undefined {
  if (needsUserAction(rotation)) return 'failed'
  if (isEnded(rotation)) return 'succeeded'
  return rotation.state === 'running' ? 'running' : undefined
}
