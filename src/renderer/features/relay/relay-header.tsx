import type { RelayView, ToolView } from '@shared/contract'
import { CirclePause, CirclePlay, CircleStop, Play } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { ExplainedFailure } from '../../failures'
import { useCall } from '../../ipc'
import { pointPath } from '../../paths'
import { Badge, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { ConfirmButton } from '../../ui/dialog'
import { PageHeader, ProgressCard } from '../../ui/page'
import { InlineDetails } from '../../ui/rows'
import { listToolsAtOldPort, type RelayActions, useNameList } from './use-relay'

/** Color of each relay state. The page also shows the state as text. */
export const relayTones: Record<RelayView['state'], Tone> = {
  off: 'neutral',
  starting: 'accent',
  on: 'success',
  paused: 'warning',
  failed: 'danger',
}

function State({ view }: { readonly view: RelayView }) {
  const { t } = useTranslation('relay')
  const { state, port, tools } = view
  // Running requests of all tools together. The table shows them by tool.
  const openRequestCount = tools.reduce((sum, tool) => sum + tool.open, 0)
  const count = tools.filter(({ isPointedHere }) => isPointedHere).length
  if (state === 'starting') return null
  if (state !== 'on' && state !== 'paused')
    return <InlineDetails items={[t('state.off'), count > 0 && t('state.offNeeded', { count })]} />
  return (
    <InlineDetails
      items={[
        <span key="at" className="tabular-nums">
          {t('state.address', { address: `127.0.0.1:${port}` })}
        </span>,
        count > 0 && t('state.tools', { count }),
        openRequestCount > 0 && t('state.open', { count: openRequestCount }),
      ]}
    />
  )
}

function StopButton({ view, actions }: { readonly view: RelayView; readonly actions: RelayActions }) {
  const { t } = useTranslation('relay')
  const nameList = useNameList()
  const toolsOnRelay = view.tools.filter(({ isPointedHere }) => isPointedHere)
  return (
    <ConfirmButton
      danger
      icon={CircleStop}
      label={t('stop')}
      asks={toolsOnRelay.length > 0}
      title={t('stopAsk.title')}
      description={t('stopAsk.text', {
        count: toolsOnRelay.length,
        tools: nameList(toolsOnRelay.map(({ toolName }) => toolName)),
      })}
      confirmLabel={t('stopAsk.confirm')}
      busy={actions.stopping.isPending}
      onConfirm={(close) => actions.stopping.mutate({}, { onSettled: close })}
    >
      <Link className="mt-1.5 inline-block rounded-xs" to={pointPath({ to: 'gateway' })}>
        {t('stopAsk.point')}
      </Link>
    </ConfirmButton>
  )
}

function Buttons({ view, actions }: { readonly view: RelayView; readonly actions: RelayActions }) {
  const { t } = useTranslation('relay')
  const { state } = view
  const { starting, pausing, start } = actions
  // If no tool uses the relay, suggest connecting one first.
  const isUsed = view.tools.some(({ isPointedHere }) => isPointedHere)
  if (state === 'on' || state === 'paused') {
    const isPaused = state === 'paused'
    return (
      <>
        <StopButton view={view} actions={actions} />
        <Button
          variant={isPaused ? 'primary' : 'secondary'}
          icon={isPaused ? CirclePlay : CirclePause}
          busy={pausing.isPending}
          onClick={() => pausing.mutate({ paused: !isPaused })}
        >
          {t(isPaused ? 'resume' : 'pause')}
        </Button>
      </>
    )
  }
  return (
    <Button
      variant={isUsed ? 'primary' : 'secondary'}
      icon={Play}
      busy={starting.isPending || state === 'starting'}
      onClick={start}
    >
      {t('start')}
    </Button>
  )
}

export function RelayHeader(props: { readonly view: RelayView | undefined; readonly actions: RelayActions }) {
  const { view, actions } = props
  const { t } = useTranslation('relay')
  return (
    <PageHeader
      title={t('title')}
      badge={view ? <Badge tone={relayTones[view.state]}>{t(`states.${view.state}`)}</Badge> : null}
      state={view ? <State view={view} /> : null}
      actions={view ? <Buttons view={view} actions={actions} /> : null}
    />
  )
}

interface NoticesProps {
  readonly view: RelayView
  readonly tools: readonly ToolView[]
  readonly actions: RelayActions
  readonly onChangePort: () => void
}

/** Notice for tools whose requests fail because the relay is off. Offers to start it or to reroute the tools. */
function RelayStoppedNotice({ view, actions }: Pick<NoticesProps, 'view' | 'actions'>) {
  const { t } = useTranslation('relay')
  const nameList = useNameList()
  const toolsOnRelay = view.tools.filter(({ isPointedHere }) => isPointedHere)
  if (toolsOnRelay.length === 0) return null
  const isFailed = view.state === 'failed'
  const names = nameList(toolsOnRelay.map(({ toolName }) => toolName))
  return (
    <Callout
      tone="danger"
      title={t('needed.title', { count: toolsOnRelay.length, tools: names })}
      actions={[
        { label: t('needed.point'), variant: isFailed ? 'secondary' : 'ghost', to: pointPath({ to: 'gateway' }) },
        !isFailed && { label: t('start'), busy: actions.starting.isPending, onClick: actions.start },
      ]}
    >
      {t(isFailed ? 'needed.textFailed' : 'needed.text')}
    </Callout>
  )
}

/** Tools configured for a port that the relay no longer uses. */
function OldPortNotice({ view, tools }: Pick<NoticesProps, 'view' | 'tools'>) {
  const { t } = useTranslation('relay')
  const nameList = useNameList()
  const { data: mcpTools = [] } = useCall('mcp.tools', {})
  const oldPortTools = listToolsAtOldPort(tools, view)
  const outdatedMcpTools = mcpTools.filter(({ server, isHttp }) => isHttp && server === 'modified')
  const names = [...new Set([...oldPortTools, ...outdatedMcpTools].map(({ name }) => name))]
  if (names.length === 0) return null
  return (
    <Callout
      tone="warning"
      title={t('oldPort.title', { count: names.length, tools: nameList(names) })}
      actions={[
        oldPortTools.length > 0 && {
          label: t('oldPort.point'),
          to: pointPath({ to: 'relay', toolIds: oldPortTools.map(({ id }) => id) }),
        },
        outdatedMcpTools.length > 0 && { label: t('oldPort.mcp'), to: '/tools/mcp' },
      ]}
    >
      {t('oldPort.text', { port: view.port })}
    </Callout>
  )
}

export function RelayNotices({ view, tools, actions, onChangePort }: NoticesProps) {
  const { t } = useTranslation('relay')
  const { state } = view
  const { starting, stopping, pausing, start } = actions
  const failure = view.failure ?? (starting.error ?? stopping.error ?? pausing.error)?.failure
  if (state === 'starting') return <ProgressCard text={t('starting')} role="status" />
  const isRelayDown = state === 'off' || state === 'failed'
  return (
    <>
      <ExplainedFailure
        failure={failure}
        handlers={{ anotherPort: onChangePort, tryAgain: start }}
        busy={starting.isPending}
      />
      {isRelayDown ? <RelayStoppedNotice view={view} actions={actions} /> : null}
      {state === 'paused' ? (
        <Callout
          tone="warning"
          title={t('paused.title')}
          actions={[{ label: t('resume'), busy: pausing.isPending, onClick: () => pausing.mutate({ paused: false }) }]}
        >
          {t('paused.text')}
        </Callout>
      ) : null}
      <OldPortNotice view={view} tools={tools} />
    </>
  )
}
