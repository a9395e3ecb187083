import type { Handover, RotatedTool, RotationPlan, RotationView } from '@shared/contract'
import i18next from 'i18next'
import { Copy, KeyRound } from 'lucide-react'
import { ExplainedFailure, explainFailure } from '../../../failures'
import { formatDateTime, formatList, formatRelative } from '../../../format'
import { useAction, useCall } from '../../../ipc'
import { enterCodePath, handoutPath } from '../../../paths'
import { useNow } from '../../../relative-time'
import { StatusDot, type Tone } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { ConfirmButton } from '../../../ui/dialog'
import { RowSection } from '../../../ui/page'
import { Row, RowIcon } from '../../../ui/rows'
import { Hint } from '../../../ui/text'
import { findRegisterEntry, holderIcon, useCopyKey } from '../../connections/account'
import { formatSite, setupKey, ToolInitials, toolPath } from '../../tools'
import { addHandouts, BulkResults, listPlanTools } from '../handouts'
import { isOverlapping, type RotationActions, useCacheRotation } from './rotations'

const t = i18next.getFixedT(null, 'rotation')

const formatComputer = ({ computer, person }: { readonly computer: string; readonly person: string }): string =>
  `${computer} (${person})`

export function OtherUsers({ holders, computers }: Pick<RotationPlan, 'holders' | 'computers'>) {
  const names = (list: readonly string[]): string => formatList(list)
  return (
    <>
      {holders.length > 0 ? (
        <Callout tone="warning" title={t('holders.title', { count: holders.length, names: names(holders) })}>
          {t('holders.text')}
        </Callout>
      ) : null}
      {computers === undefined ? (
        <Hint>{t('computers.unknown')}</Hint>
      ) : computers.length > 0 ? (
        <Callout
          tone="info"
          title={t('computers.title', { count: computers.length, names: names(computers.map(formatComputer)) })}
        >
          {t('computers.text', { count: computers.length })}
        </Callout>
      ) : null}
    </>
  )
}

const handoverTones: Record<Handover['state'], Tone> = { open: 'warning', handedOut: 'accent', confirmed: 'success' }

export function HandoverSection({ rotations }: { readonly rotations: readonly RotationView[] }) {
  const dueHandovers = rotations.flatMap((rotation) => {
    const { newKeyId: keyId, handover = [], undoSteps } = rotation
    return keyId === undefined || undoSteps ? [] : handover.map((recipient) => ({ ...recipient, rotation, keyId }))
  })
  const openHandovers = dueHandovers.filter(({ state }) => state === 'open')
  const { data: tools = [] } = useCall('tools.list', {})
  const { data: entries = [] } = useCall('register.list', {})
  const createHandouts = useAction('handouts.createMany', {
    invalidates: ['register', 'rotation', 'audit', 'handouts'],
    onSuccess: addHandouts,
  })
  const createKeyFile = (): void =>
    createHandouts.mutate({
      items: openHandovers.map(({ holder, keyId, rotation: { planId } }) => {
        const { purpose } = findRegisterEntry(entries, { planId, keyId }) ?? {}
        return { planId, keyId, holder, ...(purpose && { purpose }), toolIds: [...listPlanTools(tools, planId)] }
      }),
      lock: { kind: 'passphrase' },
    })
  if (dueHandovers.length === 0) return null
  return (
    <>
      <RowSection
        title={t('handover.title')}
        description={t('handover.hint')}
        actions={[
          openHandovers.length > 0 && {
            label: t('handover.make', { count: openHandovers.length }),
            variant: 'primary',
            icon: KeyRound,
            busy: createHandouts.isPending,
            onClick: createKeyFile,
          },
        ]}
      >
        {dueHandovers.map(({ holder, state, keyId, rotation }) => {
          const { id, planId, planName, newKeyName } = rotation
          return (
            <Row
              key={`${id} ${holder.name}`}
              leading={<RowIcon icon={holderIcon(holder)} />}
              title={holder.name}
              description={[newKeyName, planName]}
              trailing={[
                <StatusDot key="statusDot" tone={handoverTones[state]} label={t(`handover.states.${state}`)} />,
                state === 'handedOut'
                  ? {
                      label: t('handover.enterCode'),
                      to: enterCodePath,
                      'aria-label': t('handover.enterCodeOf', { name: holder.name }),
                    }
                  : state === 'open' && {
                      label: t('handover.handOut'),
                      to: handoutPath({ planId, keyId }),
                      'aria-label': t('handover.handOutTo', { key: newKeyName, name: holder.name }),
                    },
              ]}
            />
          )
        })}
      </RowSection>
      <ExplainedFailure failure={createHandouts.error?.failure} handlers={{ tryAgain: createKeyFile }} />
      <BulkResults results={(createHandouts.data ?? []).filter(({ state }) => state !== 'cancelled')} />
    </>
  )
}

/** While both keys work: the deadline, who still uses the old key, and a button to disable it early. */
export function OverlapOutcome({ rotation }: { readonly rotation: RotationView }) {
  const currentTime = useNow()
  const storeRotation = useCacheRotation()
  const endHandoverAction = useAction('rotation.endHandover', {
    invalidates: ['rotation', 'plans', 'tools', 'account', 'register', 'audit'],
    onSuccess: storeRotation,
  })
  const { id, oldKeyName: key, newKeyName: newKey, handover = [], computers = [], disableAt, tools } = rotation
  const { data: uses = [] } = useCall('rotation.oldKeyUses', { id }, { refetchInterval: 30_000 })
  const unconfirmedNames = handover.filter(({ state }) => state !== 'confirmed').map(({ holder }) => holder.name)
  const pendingHolders = [...unconfirmedNames, ...computers.map(formatComputer)]
  const names = formatList(pendingHolders)
  const failedComputers = formatList(computers.filter(({ failedAt }) => failedAt).map(formatComputer))
  const disableTime = disableAt === undefined ? '' : formatDateTime(disableAt)
  const toolsToRestart = listToolsToRestart(tools)
  const useTexts = uses.map(({ toolId, at }) => {
    const name = tools.find((tool) => tool.toolId === toolId)?.toolName ?? toolId
    return t('overlap.use', { tool: name, when: formatRelative(at, currentTime).short })
  })
  const title = computers.length > 0 ? 'computers.waiting' : 'overlap.title'
  const disableCondition = pendingHolders.length === 0 ? 'time' : disableAt === undefined ? 'holders' : 'holdersUntil'
  return (
    <>
      <Callout
        tone="info"
        title={t(unconfirmedNames.length > 0 ? 'handover.waiting' : title, { key })}
        actions={
          <ConfirmButton
            size="sm"
            label={t('handover.end')}
            danger
            title={t('handover.endTitle', { key })}
            description={t(pendingHolders.length > 0 ? 'handover.endText' : 'overlap.endText', { key, names })}
            confirmLabel={t('handover.endConfirm')}
            mutation={endHandoverAction}
            onConfirm={(close) => endHandoverAction.mutate({ id }, { onSuccess: close })}
          />
        }
      >
        <p>{t(`overlap.until.${disableCondition}`, { key, newKey, names, when: disableTime })}</p>
        {useTexts.length > 0 ? <p>{t('overlap.uses', { uses: formatList(useTexts) })}</p> : null}
        {toolsToRestart ? <p>{t('overlap.restart', toolsToRestart)}</p> : null}
        {failedComputers === '' ? null : <p>{t('computers.failed', { names: failedComputers })}</p>}
      </Callout>
      {rotation.computers === undefined ? <Hint>{t('computers.unknown')}</Hint> : null}
    </>
  )
}

const tones: Record<RotatedTool['state'], Tone> = {
  pending: 'neutral',
  repointed: 'accent',
  verified: 'success',
  failed: 'danger',
}

interface ToolProps {
  readonly tool: RotatedTool
  readonly rotation: RotationView
  readonly actions: RotationActions
}

function ManualDelivery({ tool, rotation, actions }: ToolProps) {
  const { planId, oldKeyId, newKeyId, undoSteps } = rotation
  const copyKeyAction = useCopyKey(planId)
  const keyId = undoSteps ? oldKeyId : newKeyId
  const name = { tool: tool.toolName }
  return (
    <>
      {keyId === undefined ? null : (
        <Button
          size="sm"
          icon={Copy}
          busy={copyKeyAction.isPending}
          aria-label={t('tools.copyKeyNamed', name)}
          onClick={() => copyKeyAction.mutate({ planId, keyId })}
        >
          {t('tools.copyKey')}
        </Button>
      )}
      <Button
        size="sm"
        variant="primary"
        busy={actions.isConfirming}
        aria-label={t('tools.isDoneNamed', name)}
        onClick={() => actions.confirmTool(tool)}
      >
        {t('tools.isDone')}
      </Button>
    </>
  )
}

function ToolRow(props: ToolProps) {
  const { tool, rotation } = props
  const isUndo = rotation.undoSteps !== undefined
  const { toolId, toolName, site, state, failure, recordPath } = tool
  const failureTexts = failure && explainFailure(failure, { tool: toolName })
  // Replace the general text, because it suggests a preview, which a rotation does not have.
  const problem =
    failure?.code === 'file.changed'
      ? t('tools.changed')
      : failureTexts && `${failureTexts.title}. ${failureTexts.remedy}`
  const isUnknown = failure?.code === 'rotation.toolUnknown'
  return (
    <Row
      leading={<ToolInitials tool={{ name: toolName }} />}
      title={toolName}
      description={[site.kind !== 'user' && formatSite(site)]}
      problem={
        problem && (
          <>
            {problem}
            {recordPath === undefined ? null : <code className="block text-muted wrap-anywhere">{recordPath}</code>}
          </>
        )
      }
      trailing={[
        <StatusDot
          key="statusDot"
          tone={tones[state]}
          label={isUnknown ? t('tools.unknown') : t(`tools.${isUndo ? 'statesBack' : 'states'}.${state}`)}
        />,
        failure?.code === 'rotation.keyByHand' ? (
          <ManualDelivery key="manualDelivery" {...props} />
        ) : (
          state === 'failed' && {
            label: t('tools.openNamed', { tool: toolName }),
            to: toolPath(toolId, undefined, site),
          }
        ),
      ]}
    />
  )
}

export function RotatedTools({ rotation, actions }: Omit<ToolProps, 'tool'>) {
  const { tools } = rotation
  if (tools.length === 0) return null
  return (
    <RowSection title={t('view.tools')}>
      {tools.map((tool) => (
        <ToolRow key={setupKey(tool.toolId, tool.site)} tool={tool} rotation={rotation} actions={actions} />
      ))}
    </RowSection>
  )
}

type Tools = readonly Pick<RotatedTool, 'toolName' | 'site' | 'needsRestart'>[]

function listToolsToRestart(tools: Tools) {
  const toolsToRestart = tools.filter(({ needsRestart }) => needsRestart)
  const count = toolsToRestart.length
  return count === 0 ? undefined : { count, names: joinToolNames(toolsToRestart) }
}

/** Names running tools with the key that this step disables. `isBack`: the step of an undo. */
export function RestartHint({ tools, isBack = false }: { readonly tools: Tools; readonly isBack?: boolean }) {
  const values = listToolsToRestart(tools)
  if (!values) return null
  return (
    <p className="mt-0.5 text-sm text-warning leading-5">{t(isBack ? 'restart.backHint' : 'restart.hint', values)}</p>
  )
}

const restartTexts = { before: 'restart.before', after: 'restart.title', back: 'restart.back' } as const

export function RestartCallout({ tools, when }: { readonly tools: Tools; readonly when: keyof typeof restartTexts }) {
  const values = listToolsToRestart(tools)
  if (!values) return null
  return (
    <Callout tone={when === 'after' ? 'warning' : 'info'} title={t(restartTexts[when], values)}>
      {t(when === 'after' ? 'restart.text' : `restart.${when}Text`, values)}
    </Callout>
  )
}

/** Whether the old key, or the new one after an undo, no longer works, so that running tools need a restart. */
export const isKeyDeleted = (rotation: RotationView): boolean =>
  ['waiting', 'done', 'undone'].includes(rotation.state) && !isOverlapping(rotation)

/** Joins the names of tools. Adds the scope (project or WSL) unless a tool is configured in the user's home. */
export const joinToolNames = (tools: readonly Pick<RotatedTool, 'toolName' | 'site'>[]): string =>
  formatList(tools.map(({ toolName, site }) => (site.kind === 'user' ? toolName : `${toolName} (${formatSite(site)})`)))
