import type { RelayTool, RelayView, ToolView } from '@shared/contract'
import i18next from 'i18next'
import { CirclePause, CirclePlay, CircleStop, Play, Waypoints } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link, Navigate, useSearchParams } from 'react-router'
import { ExplainedFailure } from '../../failures'
import { formatList } from '../../format'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { pointPath } from '../../paths'
import { useSettingAction } from '../../toast-actions'
import { Badge } from '../../ui/badge'
import type { Actions } from '../../ui/button'
import { CallDiagram, type DiagramCaller, type DiagramEndpoint } from '../../ui/call-diagram'
import { Callout } from '../../ui/callout'
import { ConfirmButton, Dialog } from '../../ui/dialog'
import { TextField } from '../../ui/field'
import { CardSection, EmptyState, Page, PageHeader, ProgressCard, Section } from '../../ui/page'
import { ControlRow } from '../../ui/rows'
import { SwitchRow } from '../../ui/switch'
import { closeWithToast } from '../../ui/toast'
import { setUpPath } from '../tools'
import { findFailure, RelayTools } from './relay-tools'
import {
  listToolsAtOldPort,
  type RelayActions,
  relayRouteKey,
  relayTones,
  useRelay,
  useRelayActions,
} from './use-relay'

const t = i18next.getFixedT(null, 'relay')

function RelayContent({ view, actions }: { readonly view: RelayView; readonly actions: RelayActions }) {
  const { data: tools = [] } = useCall('tools.list', {})
  const { data: plans = [] } = useCall('plans.list', {})
  const [isChangingPort, setIsChangingPort] = useState(false)
  const isUsed = view.tools.some(({ isPointedHere }) => isPointedHere)
  const changePort = (): void => setIsChangingPort(true)
  return (
    <>
      <RelayNotices view={view} tools={tools} actions={actions} onChangePort={changePort} />
      {isUsed || view.state === 'starting' || view.state === 'failed' ? null : (
        <EmptyState
          icon={Waypoints}
          title={t('empty.title')}
          next={{ to: setUpPath({ route: 'relay' }), label: t('empty.setUp') }}
        >
          {t('empty.text')}
        </EmptyState>
      )}
      <RelayDiagram view={view} />
      {view.tools.length > 0 ? <RelayTools view={view} tools={tools} plans={plans} /> : null}
      <RelayOptions view={view} onChangePort={changePort} />
      {isChangingPort ? <PortDialog view={view} onClose={() => setIsChangingPort(false)} /> : null}
    </>
  )
}

export function RelayPage() {
  const query = useRelay()
  const actions = useRelayActions()
  const [search] = useSearchParams()
  // The dialog on quitting links to this page with `pointBack=1`, to reroute tools to the gateway before the relay
  // stops.
  if (search.get('pointBack') === '1') return <Navigate to={pointPath({ to: 'gateway' })} replace />
  const view = query.data
  return (
    <Page width="wide">
      <PageHeader
        title={t('title')}
        badge={view ? <Badge tone={relayTones[view.state]}>{t(`states.${view.state}`)}</Badge> : null}
        state={view && listState(view)}
        actions={view && listButtons(view, actions)}
      />
      <p className="max-w-180 text-muted">{t('about')}</p>
      <Loaded query={query} rows={4}>
        {(relay) => <RelayContent view={relay} actions={actions} />}
      </Loaded>
    </Page>
  )
}

const options = [
  { name: 'startAtLogin', text: 'login' },
  { name: 'keepInBackground', text: 'background' },
  { name: 'allowsUncounted', text: 'uncounted' },
] as const

function RelayOptions({ view, onChangePort }: { readonly view: RelayView; readonly onChangePort: () => void }) {
  const save = useSettingAction('relay.setOptions', { invalidates: ['relay'] })
  const chosenSettings = save.isPending ? save.variables : {}
  return (
    <CardSection flush title={t('options.title')}>
      <ControlRow
        label={t('options.port')}
        hint={t('options.portHint')}
        control={[
          <code key="port" className="tabular-nums">
            {view.port}
          </code>,
          { label: t('options.change'), about: t('options.port'), onClick: onChangePort },
        ]}
      />
      {options.map(({ name, text }) => {
        const checked = chosenSettings[name] ?? view[name]
        return checked === undefined ? null : (
          <SwitchRow
            key={name}
            checked={checked}
            onCheckedChange={(on) => save.mutate({ [name]: on })}
            label={t(`options.${text}`)}
            hint={t(`options.${text}Hint`)}
          />
        )
      })}
    </CardSection>
  )
}

/** Number and names of the tools on the relay. */
function listToolsOnRelay({ tools }: RelayView) {
  const names = tools.flatMap(({ isPointedHere, toolName }) => (isPointedHere ? toolName : []))
  return { count: names.length, tools: formatList(names) }
}

/** Parses a port. Undefined unless the text is an unprivileged port (1024 to 65535). */
export function readPort(text: string): number | undefined {
  const port = Number(text)
  return /^\d{4,5}$/.test(text.trim()) && port >= 1024 && port <= 65_535 ? port : undefined
}

/** Dialog that changes the relay's port and restarts it. Lists the files that contain the old port. */
function PortDialog({ view, onClose }: { readonly view: RelayView; readonly onClose: () => void }) {
  const [text, setText] = useState(String(view.port))
  const [isTouched, setIsTouched] = useState(false)
  const { starting } = useRelayActions()
  const port = readPort(text)
  const failure = starting.error?.failure
  const isPortInUse = failure?.code === 'relay.portInUse'
  const toolsOnRelay = listToolsOnRelay(view)
  const save = (): void => {
    setIsTouched(true)
    if (port === undefined || starting.isPending) return
    starting.mutate({ port }, { onSuccess: () => closeWithToast(onClose, t('port.done', { port })) })
  }
  return (
    <Dialog
      size="sm"
      busy={starting.isPending}
      onClose={onClose}
      title={t('port.title')}
      description={t('port.text')}
      action={{ label: t('port.save'), onSubmit: save }}
    >
      <TextField
        label={t('port.label')}
        hint={t('port.hint')}
        error={
          isTouched && port === undefined
            ? t('port.bad')
            : isPortInUse
              ? t('port.taken', { port: starting.variables?.port })
              : undefined
        }
        inputMode="numeric"
        autoFocus
        className="[&_input]:max-w-35"
        value={text}
        onChange={(typedText) => {
          starting.reset()
          setText(typedText)
        }}
      />
      {toolsOnRelay.count > 0 && port !== view.port ? (
        <p className="max-w-180 text-muted">{t('port.files', toolsOnRelay)}</p>
      ) : null}
      <ExplainedFailure failure={isPortInUse ? undefined : failure} />
    </Dialog>
  )
}

type Upstream = RelayTool['upstreams'][number]

/** Diagram of tools and upstreams. The table below has the same content. */
function RelayDiagram({ view }: { readonly view: RelayView }) {
  const tools = view.tools.filter(({ isPointedHere }) => isPointedHere)
  if (tools.length === 0) return null
  const isRelayOn = view.state === 'on'
  const formatPlanName = ({ planName }: Upstream): string => planName ?? t('tools.planGone')
  const formatKeyName = ({ keyName }: Upstream): string => keyName ?? t('tools.keyGone')
  const callers = tools.map((tool): DiagramCaller => {
    const tone = !isRelayOn || findFailure(tool) ? 'broken' : tool.requests > 0 ? 'used' : 'idle'
    const calls = tool.upstreams.map((upstream, index): DiagramCaller['calls'][number] => ({
      end: relayRouteKey(upstream),
      tone: index === 0 ? tone : 'idle',
      isDashed: index > 0,
    }))
    return { id: tool.toolId, label: tool.toolName, hint: isRelayOn ? undefined : t('tools.waits'), calls }
  })
  const endpointsById = new Map<string, DiagramEndpoint>()
  const firstUpstreams = new Set(tools.flatMap((tool) => tool.upstreams.slice(0, 1).map(relayRouteKey)))
  for (const upstream of tools.flatMap(({ upstreams }) => upstreams)) {
    const id = relayRouteKey(upstream)
    const hint = [formatKeyName(upstream), ...(firstUpstreams.has(id) ? [] : [t('way.failover')])].join(' · ')
    endpointsById.set(id, { id, label: formatPlanName(upstream), hint })
  }
  const sentences = tools.flatMap((tool) =>
    tool.upstreams.map((upstream, index) =>
      t(index === 0 ? 'diagram.calls' : 'diagram.failsOver', {
        tool: tool.toolName,
        plan: formatPlanName(upstream),
        key: formatKeyName(upstream),
      }),
    ),
  )
  return (
    <Section title={t('diagram.title')}>
      <CallDiagram
        label={[`${t('title')}: ${t(`states.${view.state}`)}.`, ...sentences].join(' ')}
        callers={callers}
        between={{
          id: 'relay',
          label: t('title'),
          hint: isRelayOn ? `127.0.0.1:${view.port}` : t(`states.${view.state}`),
        }}
        ends={[...endpointsById.values()]}
      />
    </Section>
  )
}

/** Status line of the page, as a list of short texts. */
function listState({ state, port, tools }: RelayView): ReactNode {
  // Running requests of all tools together. The table shows them by tool.
  const openRequestCount = tools.reduce((sum, tool) => sum + tool.open, 0)
  const count = tools.filter(({ isPointedHere }) => isPointedHere).length
  if (state === 'starting') return null
  if (state !== 'on' && state !== 'paused') return [t('state.off'), count > 0 && t('state.offNeeded', { count })]
  return [
    <span key="at" className="tabular-nums">
      {t('state.address', { address: `127.0.0.1:${port}` })}
    </span>,
    count > 0 && t('state.tools', { count }),
    openRequestCount > 0 && t('state.open', { count: openRequestCount }),
  ]
}

function StopButton({ view, actions }: { readonly view: RelayView; readonly actions: RelayActions }) {
  const toolsOnRelay = listToolsOnRelay(view)
  return (
    <ConfirmButton
      danger
      icon={CircleStop}
      label={t('stop')}
      asks={toolsOnRelay.count > 0}
      title={t('stopAsk.title')}
      description={t('stopAsk.text', toolsOnRelay)}
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

function listButtons(view: RelayView, actions: RelayActions): Actions {
  const { state } = view
  const { starting, pausing, start } = actions
  if (state === 'on' || state === 'paused') {
    const isPaused = state === 'paused'
    return [
      <StopButton key="stop" view={view} actions={actions} />,
      {
        label: t(isPaused ? 'resume' : 'pause'),
        variant: isPaused ? 'primary' : 'secondary',
        icon: isPaused ? CirclePlay : CirclePause,
        busy: pausing.isPending,
        onClick: () => pausing.mutate({ paused: !isPaused }),
      },
    ]
  }
  // If no tool uses the relay, suggest connecting one first.
  const variant = view.tools.some(({ isPointedHere }) => isPointedHere) ? 'primary' : 'secondary'
  const busy = starting.isPending || state === 'starting'
  return [{ label: t('start'), variant, icon: Play, busy, onClick: start }]
}

interface NoticesProps {
  readonly view: RelayView
  readonly tools: readonly ToolView[]
  readonly actions: RelayActions
  readonly onChangePort: () => void
}

/** Notice for tools whose requests fail because the relay is off. Offers to start it or to reroute the tools. */
function RelayStoppedNotice({ view, actions }: Pick<NoticesProps, 'view' | 'actions'>) {
  const toolsOnRelay = listToolsOnRelay(view)
  if (toolsOnRelay.count === 0) return null
  const isFailed = view.state === 'failed'
  return (
    <Callout
      tone="danger"
      title={t('needed.title', toolsOnRelay)}
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
  const { data: mcpTools = [] } = useCall('mcp.tools', {})
  const oldPortTools = listToolsAtOldPort(tools, view)
  const outdatedMcpTools = mcpTools.filter(({ server, isHttp }) => isHttp && server === 'modified')
  const names = [...new Set([...oldPortTools, ...outdatedMcpTools].map(({ name }) => name))]
  if (names.length === 0) return null
  return (
    <Callout
      tone="warning"
      title={t('oldPort.title', { count: names.length, tools: formatList(names) })}
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

function RelayNotices({ view, tools, actions, onChangePort }: NoticesProps) {
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
