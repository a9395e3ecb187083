import type { PlanView, RelayRoute, RelayTool, RelayView, ToolView } from '@shared/contract'
import { ChevronRight, Waypoints } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, useSearchParams } from 'react-router'
import { ExplainedFailure } from '../../failures'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { pointPath } from '../../paths'
import { useNow } from '../../relative-time'
import { useSettingAction } from '../../toast-actions'
import { CallDiagram, type DiagramCaller, type DiagramEndpoint } from '../../ui/call-diagram'
import { Dialog } from '../../ui/dialog'
import { TextField } from '../../ui/field'
import { Card, EmptyState, Page, Section } from '../../ui/page'
import { ControlRow } from '../../ui/rows'
import { SwitchRow } from '../../ui/switch'
import { actionsColumn, Table } from '../../ui/table'
import { closeWithToast } from '../../ui/toast'
import { setUpPath } from '../tools'
import { RelayHeader, RelayNotices } from './relay-header'
import {
  findFailure,
  LastRequestCell,
  NameCell,
  OverloadNotice,
  RequestsCell,
  ToolActions,
  ToolFailure,
  UpstreamCell,
} from './relay-tool-cells'
import { UpstreamDialog } from './upstream-dialog'
import { type RelayActions, useNameList, useRelay, useRelayActions } from './use-relay'

function RelayContent({ view, actions }: { readonly view: RelayView; readonly actions: RelayActions }) {
  const { t } = useTranslation('relay')
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
  const { t } = useTranslation('relay')
  const query = useRelay()
  const actions = useRelayActions()
  const [search] = useSearchParams()
  // The dialog on quitting links to this page with `pointBack=1`, to reroute tools to the gateway before the relay
  // stops.
  if (search.get('pointBack') === '1') return <Navigate to={pointPath({ to: 'gateway' })} replace />
  return (
    <Page width="wide">
      <RelayHeader view={query.data} actions={actions} />
      <p className="max-w-180 text-muted">{t('about')}</p>
      <Loaded query={query} rows={4}>
        {(view) => <RelayContent view={view} actions={actions} />}
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
  const { t } = useTranslation('relay')
  const save = useSettingAction('relay.setOptions', { invalidates: ['relay'] })
  const chosenSettings = save.isPending ? save.variables : {}
  return (
    <Section title={t('options.title')}>
      <Card flush>
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
      </Card>
    </Section>
  )
}

interface RelayToolsProps {
  readonly view: RelayView
  readonly tools: readonly ToolView[]
  readonly plans: readonly PlanView[]
}

/** Sorts tools: those on the relay, then other installed ones, then others, each group by name. */
function orderTools({ view, tools }: RelayToolsProps) {
  const isInstalled = (relayTool: RelayTool): boolean =>
    tools.some(({ id, installed }) => id === relayTool.toolId && installed)
  const sortedTools = view.tools.toSorted((a, b) => a.toolName.localeCompare(b.toolName))
  const toolsOnRelay = sortedTools.filter(({ isPointedHere }) => isPointedHere)
  const otherTools = sortedTools.filter(({ isPointedHere }) => !isPointedHere)
  return {
    activeTools: [...toolsOnRelay, ...otherTools.filter(isInstalled)],
    otherTools: otherTools.filter((relayTool) => !isInstalled(relayTool)),
  }
}

function RelayTools(props: RelayToolsProps) {
  const { view, tools, plans } = props
  const { t } = useTranslation('relay')
  const [changing, setChanging] = useState<string>()
  const [showsOthers, setShowsOthers] = useState(false)
  const currentTime = useNow()
  const { activeTools, otherTools } = orderTools(props)
  const showsAllTools = showsOthers || activeTools.length === 0
  const changedTool = view.tools.find(({ toolId }) => toolId === changing)
  return (
    <Section
      title={t('tools.title')}
      description={view.tools.some(({ isPointedHere }) => isPointedHere) ? t('tools.hint') : null}
    >
      <div className="[&_td]:h-12">
        <Table
          caption={t('tools.list')}
          rows={showsAllTools ? [...activeTools, ...otherTools] : activeTools}
          rowKey={({ toolId }) => toolId}
          columns={[
            {
              id: 'tool',
              header: t('tools.columns.tool'),
              width: '27%',
              cell: (relayTool) => <NameCell tool={relayTool} state={view.state} />,
            },
            { id: 'way', header: t('tools.columns.way'), cell: (relayTool) => <UpstreamCell tool={relayTool} /> },
            {
              id: 'requests',
              header: t('tools.columns.requests'),
              width: '148px',
              align: 'right',
              cell: (relayTool) => <RequestsCell tool={relayTool} />,
            },
            {
              id: 'last',
              header: t('tools.columns.last'),
              width: '120px',
              cell: (relayTool) => <LastRequestCell tool={relayTool} />,
            },
            {
              ...actionsColumn(t('tools.columns.actions'), '136px'),
              cell: (relayTool) => (
                <ToolActions
                  tool={relayTool}
                  routes={tools.find(({ id }) => id === relayTool.toolId)?.routes ?? []}
                  onChangeUpstream={() => setChanging(relayTool.toolId)}
                />
              ),
            },
          ]}
          detail={(relayTool) =>
            findFailure(relayTool) ? (
              <ToolFailure tool={relayTool} plans={plans} onChangeUpstream={() => setChanging(relayTool.toolId)} />
            ) : relayTool.lastSwitch && new Date(relayTool.lastSwitch.until) > currentTime ? (
              <OverloadNotice {...relayTool.lastSwitch} />
            ) : null
          }
        />
      </div>
      {otherTools.length === 0 || activeTools.length === 0 ? null : (
        <button
          type="button"
          className="group flex w-max items-center gap-1.5 rounded-sm px-1 py-0.5 text-muted text-sm hover:text-text"
          aria-expanded={showsOthers}
          onClick={() => setShowsOthers(!showsOthers)}
        >
          <ChevronRight
            size={14}
            strokeWidth={2}
            className="transition-transform group-aria-expanded:rotate-90"
            aria-hidden="true"
          />
          {t('tools.others', { count: otherTools.length })}
        </button>
      )}
      {changedTool ? <UpstreamDialog tool={changedTool} plans={plans} onClose={() => setChanging(undefined)} /> : null}
    </Section>
  )
}

/** Parses a port. Undefined unless the text is an unprivileged port (1024 to 65535). */
export function readPort(text: string): number | undefined {
  const port = Number(text)
  return /^\d{4,5}$/.test(text.trim()) && port >= 1024 && port <= 65_535 ? port : undefined
}

/** Dialog that changes the relay's port and restarts it. Lists the files that contain the old port. */
function PortDialog({ view, onClose }: { readonly view: RelayView; readonly onClose: () => void }) {
  const { t } = useTranslation('relay')
  const nameList = useNameList()
  const [text, setText] = useState(String(view.port))
  const [isTouched, setIsTouched] = useState(false)
  const { starting } = useRelayActions()
  const port = readPort(text)
  const failure = starting.error?.failure
  const isPortInUse = failure?.code === 'relay.portInUse'
  const toolsOnRelay = view.tools.filter(({ isPointedHere }) => isPointedHere)
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
      action={{ label: t('port.save'), onSubmit: save, busy: starting.isPending }}
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
      {toolsOnRelay.length > 0 && port !== view.port ? (
        <p className="max-w-180 text-muted">
          {t('port.files', {
            count: toolsOnRelay.length,
            tools: nameList(toolsOnRelay.map(({ toolName }) => toolName)),
          })}
        </p>
      ) : null}
      <ExplainedFailure failure={isPortInUse ? undefined : failure} />
    </Dialog>
  )
}

type Upstream = RelayRoute & { readonly planName?: string | undefined; readonly keyName?: string | undefined }
const upstreamId = ({ planId, keyId = '' }: RelayRoute): string => `${planId} ${keyId}`

const listUpstreams = ({ way, planName, keyName, failover }: RelayTool): readonly Upstream[] =>
  way ? [{ ...way, planName, keyName }, ...failover] : []

/** Diagram of tools and upstreams. The table below has the same content. */
function RelayDiagram({ view }: { readonly view: RelayView }) {
  const { t } = useTranslation('relay')
  const tools = view.tools.filter(({ isPointedHere }) => isPointedHere)
  if (tools.length === 0) return null
  const isRelayOn = view.state === 'on'
  const formatPlanName = ({ planName }: Upstream): string => planName ?? t('tools.planGone')
  const formatKeyName = ({ keyName }: Upstream): string => keyName ?? t('tools.keyGone')
  const callers = tools.map((tool): DiagramCaller => {
    const tone = !isRelayOn || findFailure(tool) ? 'broken' : tool.requests > 0 ? 'used' : 'idle'
    const calls = listUpstreams(tool).map((upstream, index): DiagramCaller['calls'][number] => ({
      end: upstreamId(upstream),
      tone: index === 0 ? tone : 'idle',
      isDashed: index > 0,
    }))
    return { id: tool.toolId, label: tool.toolName, hint: isRelayOn ? undefined : t('tools.waits'), calls }
  })
  const endpointsById = new Map<string, DiagramEndpoint>()
  const firstUpstreams = new Set(tools.flatMap((tool) => listUpstreams(tool).slice(0, 1).map(upstreamId)))
  for (const upstream of tools.flatMap(listUpstreams)) {
    const id = upstreamId(upstream)
    const hint = [formatKeyName(upstream), ...(firstUpstreams.has(id) ? [] : [t('way.failover')])].join(' · ')
    endpointsById.set(id, { id, label: formatPlanName(upstream), hint })
  }
  const sentences = tools.flatMap((tool) =>
    listUpstreams(tool).map((upstream, index) =>
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
