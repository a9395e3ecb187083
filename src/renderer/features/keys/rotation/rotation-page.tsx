import type { RotationView } from '@shared/contract'
import i18next from 'i18next'
import { Check, CircleAlert, Clock3, Minus, Play, RotateCw, SearchX, Square, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'
import { ExplainedFailure } from '../../../failures'
import { formatDate, formatDateTime, formatList, formatRelative, formatTime } from '../../../format'
import { call } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { auditPath, handoutPath, registerPath, rotatePath, rotationsPath } from '../../../paths'
import { useNow } from '../../../relative-time'
import { Badge } from '../../../ui/badge'
import { CallDiagram, type DiagramCaller } from '../../../ui/call-diagram'
import { Callout } from '../../../ui/callout'
import { joinClassNames } from '../../../ui/cn'
import { ConfirmButton } from '../../../ui/dialog'
import { EmptyState, Page, PageHeader, Section } from '../../../ui/page'
import { InlineDetails } from '../../../ui/rows'
import { Spinner } from '../../../ui/skeleton'
import { Hint, StepNumber } from '../../../ui/text'
import { formatSite, setupKey } from '../../tools'
import { HandoverSection, isKeyDeleted, OverlapOutcome, RestartCallout, RestartHint, RotatedTools } from './key-users'
import {
  findProgress,
  getCurrentSteps,
  getStepTitle,
  isEnded,
  isHandoverOpen,
  isKeyEndingStep,
  isOverlapping,
  listFailedTools,
  type RotationActions,
  type Step,
  stateTones,
  useRotationActions,
  useRotations,
} from './rotations'

const t = i18next.getFixedT(null, ['rotation', 'register', 'keys'])

/** Steps that affect tools. Their failures are shown at each tool instead of at the step. */
const toolStepIds: readonly Step['id'][] = ['repoint', 'verify', 'giveBack', 'verifyBack']

interface RotationProps {
  readonly rotation: RotationView
}

function RotationDetails({ rotation }: RotationProps) {
  const navigate = useNavigate()
  const actions = useRotationActions(rotation, () => void navigate(rotationsPath, { replace: true }))
  const { state, profiles, oldKeyName, steps, undoSteps, canResume, canUndo } = rotation
  const isCurrentStep = ({ id }: Step): boolean => getCurrentSteps(rotation).some((step) => step.id === id)
  // Show open problems before completed steps.
  const hasFailedTools = listFailedTools(rotation).length > 0
  const tools = <RotatedTools rotation={rotation} actions={actions} />
  const renderDetails = (step: Step) => {
    const resume = rotation.canResume ? actions.resume : undefined
    const recheckVault = (): void => void call('app.recheckVault', {}).then(resume, resume)
    return (
      <>
        {isKeyEndingStep(step.id) && isCurrentStep(step) && !isKeyDeleted(rotation) ? (
          <RestartHint tools={rotation.tools} isBack={step.id === 'remove'} />
        ) : null}
        {!step.failure ? null : toolStepIds.includes(step.id) && hasFailedTools ? (
          <Hint>{t('rotation:view.seeTools')}</Hint>
        ) : (
          <div className="mt-1.5 mb-1">
            <ExplainedFailure
              failure={step.failure}
              context={{ plan: rotation.planName }}
              handlers={{ tryAgain: resume, refresh: resume, recheckVault: resume && recheckVault }}
              busy={actions.isResuming}
            />
          </div>
        )}
      </>
    )
  }
  const { at, count, step } = findProgress(rotation)
  const isRunning = state === 'running'
  const progress = isRunning && step && t('rotation:view.progress', { at, count, step: getStepTitle(step) })
  return (
    <>
      <PageHeader
        title={t('rotation:titleOf', { key: oldKeyName })}
        badge={
          <Badge tone={stateTones[state]}>
            {t(isHandoverOpen(rotation) ? 'rotation:handover.state' : `rotation:states.${state}`)}
          </Badge>
        }
        breadcrumb={[
          { label: t('register:title'), to: registerPath },
          { label: t('register:tabs.rotations'), to: rotationsPath },
        ]}
        state={
          <>
            <InlineDetails
              items={[
                rotation.planName,
                `${oldKeyName} → ${rotation.newKeyName}`,
                t('rotation:list.began', {
                  when: `${formatDate(rotation.startedAt)} ${formatTime(rotation.startedAt)}`,
                }),
                progress,
              ]}
            />
            <span className="sr-only" role="status">
              {progress || t(`rotation:states.${rotation.state}`)}
            </span>
          </>
        }
        actions={[
          ...(isEnded(rotation)
            ? [
                { label: t('rotation:view.dismiss'), busy: actions.isDismissing, onClick: actions.dismiss },
                { label: t('rotation:view.another'), variant: 'primary', icon: RotateCw, to: rotatePath } as const,
              ]
            : []),
          canUndo && !isRunning && <UndoButton key="undo" rotation={rotation} undoing={actions.undoing} />,
          isRunning && {
            label: t(actions.isStopping ? 'rotation:view.stopping' : 'rotation:view.stop'),
            icon: Square,
            busy: actions.isStopping,
            title: t('rotation:view.stopHint'),
            onClick: actions.stop,
          },
          canResume &&
            !isRunning && {
              label: t('rotation:view.resume'),
              variant: 'primary',
              icon: Play,
              busy: actions.isResuming,
              onClick: actions.resume,
            },
        ]}
      />
      <Outcome rotation={rotation} />
      {isKeyDeleted(rotation) ? <RestartCallout when={undoSteps ? 'back' : 'after'} tools={rotation.tools} /> : null}
      <HandoverSection rotations={isRunning ? [] : [rotation]} />
      <RotationDiagram rotation={rotation} />
      {hasFailedTools ? tools : null}
      {undoSteps ? (
        <RotationSteps title={t('rotation:view.undoSteps')} steps={undoSteps} isHeld={false} {...{ renderDetails }} />
      ) : null}
      <RotationSteps
        title={t('rotation:view.steps')}
        steps={steps}
        isHeld={isOverlapping(rotation)}
        renderDetails={renderDetails}
      />
      {hasFailedTools ? null : tools}
      {profiles.length > 0 ? <Hint>{t('rotation:plan.profiles', { names: profiles.join(', ') })}</Hint> : null}
    </>
  )
}

export function RotationPage() {
  const { rotationId = '' } = useParams()
  const query = useRotations()
  return (
    <Page>
      <Loaded query={query} rows={6}>
        {(list) => {
          const rotation = list.find(({ id }) => id === rotationId)
          return rotation ? (
            <RotationDetails key={rotation.id} rotation={rotation} />
          ) : (
            <EmptyState icon={SearchX} title={t('view.gone')} actions={[{ label: t('view.toAudit'), to: auditPath }]}>
              {t('view.goneText')}
            </EmptyState>
          )
        }}
      </Loaded>
    </Page>
  )
}

function UndoButton({ rotation, undoing }: RotationProps & Pick<RotationActions, 'undoing'>) {
  const { id, oldKeyName: key, newKeyName: newKey, handover = [] } = rotation
  const revokedHolders = handover.filter(({ state }) => state !== 'open').map(({ holder }) => holder.name)
  return (
    <ConfirmButton
      icon={Undo2}
      label={t('view.undo')}
      title={t('undo.title', { key })}
      description={t('undo.text', { key, newKey })}
      confirmLabel={t('undo.confirm')}
      mutation={undoing}
      onConfirm={(close) => undoing.mutate({ id }, { onSuccess: close })}
    >
      {revokedHolders.length > 0 ? (
        <Callout
          tone="warning"
          title={t('undo.losers', { count: revokedHolders.length, names: formatList(revokedHolders) })}
        >
          {t('undo.losersText', { key, newKey })}
        </Callout>
      ) : null}
    </ConfirmButton>
  )
}

function StoppedRotation({ rotation }: RotationProps) {
  const failedTools = listFailedTools(rotation)
  const isUndo = rotation.undoSteps !== undefined
  if (failedTools.length === 0)
    return rotation.state === 'failed' ? null : (
      <Callout tone="warning" title={t(isUndo ? 'view.stoppedBack' : 'view.stopped')}>
        {t(isUndo ? 'view.stoppedBackText' : 'view.stoppedText')}
      </Callout>
    )
  const names = failedTools.map(({ toolName }) => toolName)
  return (
    <Callout tone="warning" title={t('view.bothAlive')}>
      {t(isUndo ? 'view.bothAliveBack' : 'view.bothAliveText', { tools: formatList(names) })}
    </Callout>
  )
}

function Outcome({ rotation }: RotationProps) {
  const currentTime = useNow()
  const { state, oldKeyName: key, newKeyName: newKey, deleteAt, planId, newKeyId } = rotation
  if (state === 'running') return null
  if (state === 'stopped' || state === 'failed') return <StoppedRotation rotation={rotation} />
  if (isOverlapping(rotation)) return <OverlapOutcome rotation={rotation} />
  if (state === 'undone') {
    return (
      <Callout tone="info" title={t('view.undone', { key })}>
        {t('view.undoneText')}
      </Callout>
    )
  }
  const isDone = state === 'done'
  const deletionTime = deleteAt === undefined ? '' : formatRelative(deleteAt, currentTime).short
  return (
    <Callout
      tone={isDone ? 'success' : 'info'}
      title={isDone ? t('view.done', { key, newKey }) : t('view.waiting', { key, when: deletionTime })}
      actions={[
        !rotation.handover &&
          newKeyId !== undefined && { label: t('view.handOut'), to: handoutPath({ planId, keyId: newKeyId }) },
      ]}
    >
      {isDone ? t('view.doneText') : t('view.waitingText', { newKey })}
    </Callout>
  )
}

const stepTones = {
  pending: 'neutral',
  skipped: 'neutral',
  running: 'accent',
  done: 'success',
  failed: 'danger',
} as const

/** For other steps, an icon is enough, and only screen readers get the text. */
const needsVisibleText = ({ id, state }: Step): boolean =>
  state === 'failed' || state === 'skipped' || (state === 'running' && id !== 'grace')

function renderMark({ id, state }: Step, position: number, isHeld: boolean): ReactNode {
  if (state === 'done') return <Check size={13} strokeWidth={2.4} />
  if (state === 'failed') return <CircleAlert size={14} strokeWidth={2} />
  if (state === 'skipped') return <Minus size={13} strokeWidth={2.2} />
  if (state === 'pending') return position
  return isHeld || id === 'grace' ? <Clock3 size={13} strokeWidth={2} /> : <Spinner size={14} />
}

function RotationSteps(props: {
  readonly title: string
  readonly steps: readonly Step[]
  readonly isHeld: boolean
  readonly renderDetails: (step: Step) => ReactNode
}) {
  const { title, steps, isHeld, renderDetails } = props
  return (
    <Section title={title}>
      <ol className="divide-y rounded-lg border bg-surface" aria-label={title}>
        {steps.map((step, index) => {
          const { id, state, at } = step
          const isInactive = state === 'pending' || state === 'skipped'
          const isRunning = state === 'running'
          return (
            <li key={id} className="flex items-start gap-3 px-4 py-2" aria-current={isRunning ? 'step' : undefined}>
              <StepNumber tone={stepTones[state]}>{renderMark(step, index + 1, isHeld)}</StepNumber>
              <div className="min-w-0 flex-1">
                <p className={joinClassNames('font-strong leading-5.5', isInactive && 'font-[450] text-muted')}>
                  {getStepTitle(id)}
                  <span className={needsVisibleText(step) ? 'ml-2 font-normal text-faint text-sm' : 'sr-only'}>
                    {isHeld && isRunning ? t('states.waiting') : t(`stepStates.${state}`)}
                  </span>
                </p>
                {renderDetails(step)}
              </div>
              {at === undefined ? null : (
                <time className="text-faint text-sm tabular-nums leading-5.5" dateTime={at} title={formatDateTime(at)}>
                  {formatTime(at)}
                </time>
              )}
            </li>
          )
        })}
      </ol>
    </Section>
  )
}

type KeyId = 'old' | 'new'
type Caller = DiagramCaller & { readonly key: KeyId }
const isDone = ({ steps, undoSteps = [] }: RotationView, id: string): boolean =>
  [...steps, ...undoSteps].some((step) => step.id === id && step.state === 'done')

function RotationDiagram({ rotation }: RotationProps) {
  const { tools, handover = [], computers = [], oldKeyName, newKeyName } = rotation
  if (tools.length + handover.length + computers.length === 0) return null
  const names = { old: oldKeyName, new: newKeyName }
  const isOldKeyDisabled = isDone(rotation, 'disable') && !isDone(rotation, 'enable')
  const newKeyState = isDone(rotation, 'add') ? 'keys:statuses.ACTIVE' : 'rotation:diagram.notCreated'
  const states = {
    old: t(
      isDone(rotation, 'delete') ? 'diagram.deleted' : `keys:statuses.${isOldKeyDisabled ? 'DISABLED' : 'ACTIVE'}`,
    ),
    new: t(isDone(rotation, 'remove') ? 'diagram.deleted' : newKeyState),
  }
  const callers = [
    ...tools.map((tool): Caller => {
      const isSwitched = tool.state === 'repointed' || tool.state === 'verified'
      // During an undo, switched tools return to the old key.
      const key = isSwitched === (rotation.undoSteps === undefined) ? 'new' : 'old'
      const tone = tool.state === 'failed' ? 'broken' : tool.state === 'verified' ? 'used' : 'idle'
      const hint = tool.site.kind === 'user' ? undefined : formatSite(tool.site)
      return { id: setupKey(tool.toolId, tool.site), label: tool.toolName, hint, key, calls: [{ end: key, tone }] }
    }),
    ...handover.map(({ holder: { name }, state }): Caller => {
      const key = state === 'confirmed' && !rotation.undoSteps ? 'new' : 'old'
      const tone = key === 'new' ? 'used' : isOldKeyDisabled ? 'broken' : 'idle'
      return { id: `holder ${name}`, label: name, hint: t('diagram.holder'), key, calls: [{ end: key, tone }] }
    }),
    ...computers.map(({ machineUid, computer, person, failedAt }): Caller => {
      const tone = failedAt !== undefined || isOldKeyDisabled ? 'broken' : 'idle'
      return { id: machineUid, label: computer, hint: person, key: 'old', calls: [{ end: 'old', tone }] }
    }),
  ]
  const rotationEndpoints = (['old', 'new'] as const).map((id) => ({ id, label: names[id], hint: states[id] }))
  const sentences = [
    ...callers.map(({ label, key }) => t('diagram.uses', { who: label, key: names[key] })),
    ...rotationEndpoints.map(({ label, hint }) => `${label}: ${hint}.`),
  ]
  return (
    <Section title={t('diagram.title')}>
      <CallDiagram label={sentences.join(' ')} callers={callers} ends={rotationEndpoints} />
    </Section>
  )
}
