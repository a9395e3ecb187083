import type { PlanView, RelayTool, RelayView, Route, ToolView } from '@shared/contract'
import type { FailureCode } from '@shared/failure'
import { ChevronRight, Copy, List, Undo2, Wrench } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useCopyText } from '../../copy-text'
import { ExplainedFailure } from '../../failures'
import { useFormats } from '../../format'
import { useAction } from '../../ipc'
import { pointPath, requestsPath } from '../../paths'
import { RelativeTime, useNow } from '../../relative-time'
import { StatusDot } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { MenuButton } from '../../ui/menu'
import { Section } from '../../ui/page'
import { Stack } from '../../ui/rows'
import { actionsColumn, Table } from '../../ui/table'
import { ToolInitials, toolPath, useOpenConfigureRoute, userSite } from '../tools'
import { ToolUsageTrend } from '../usage'
import { UpstreamDialog } from './upstream-dialog'

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

export function RelayTools(props: RelayToolsProps) {
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

interface CellProps {
  readonly tool: RelayTool
}

function RelayToolStatus({ tool, state }: CellProps & Pick<RelayView, 'state'>) {
  const { t } = useTranslation('relay')
  if (!tool.isPointedHere) return <StatusDot tone="neutral" label={t('tools.not')} />
  if (state === 'on') return <StatusDot tone="success" label={t('tools.here')} />
  const tone = state === 'starting' ? 'neutral' : state === 'paused' ? 'warning' : 'danger'
  return <StatusDot tone={tone} label={t('tools.waits')} />
}

function NameCell({ tool, state }: CellProps & Pick<RelayView, 'state'>) {
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <ToolInitials tool={{ name: tool.toolName }} />
      <span className="flex min-w-0 flex-1 flex-col leading-4.25 *:truncate">
        <Link to={toolPath(tool.toolId)} className="font-strong text-text">
          {tool.toolName}
        </Link>
        <span className="truncate text-muted text-xs">
          <RelayToolStatus tool={tool} state={state} />
        </span>
      </span>
    </span>
  )
}

function UpstreamCell({ tool }: CellProps) {
  const { t } = useTranslation('relay')
  const { way, planName, keyName, failover } = tool
  if (!way) return <span className="text-faint">–</span>
  const detailTexts = [
    ...(planName === undefined ? [] : [keyName ?? t('tools.keyGone')]),
    ...(failover.length > 0 ? [t('tools.then', { count: failover.length })] : []),
  ].join(' · ')
  return (
    <Stack>
      {planName === undefined ? (
        <span className="text-danger">{t('tools.planGone')}</span>
      ) : (
        <span title={planName}>{planName}</span>
      )}
      <span className="truncate text-muted text-xs" title={detailTexts}>
        {detailTexts}
      </span>
    </Stack>
  )
}

function RequestsCell({ tool }: CellProps) {
  const { t } = useTranslation('relay')
  const { count } = useFormats()
  if (tool.requests === 0) return <span className="text-faint">–</span>
  const { short, exact } = count(tool.requests)
  return (
    <span className="inline-flex items-center justify-end gap-2.5">
      <ToolUsageTrend toolId={tool.toolId} />
      <span title={`${exact}. ${t('tools.requestsHint')}`}>{short}</span>
    </span>
  )
}

function LastRequestCell({ tool }: CellProps) {
  const { t } = useTranslation('relay')
  const { open, lastAt, lastFailure } = tool
  if (open > 0) return <StatusDot tone="accent" label={t('state.open', { count: open })} />
  if (lastAt === undefined) return <span className="text-faint">{tool.isPointedHere ? t('tools.never') : '–'}</span>
  return (
    <Stack>
      <RelativeTime at={lastAt} />
      {lastFailure && !findFailure(tool) ? (
        <span className="truncate text-muted text-xs">{t('tools.wentAway')}</span>
      ) : null}
    </Stack>
  )
}

interface ActionsProps extends CellProps {
  readonly routes: readonly Route[]
  readonly onChangeUpstream: () => void
}

function MoreActions({ tool, routes }: Omit<ActionsProps, 'onChangeUpstream'>) {
  const { t } = useTranslation(['relay', 'common'])
  const { toolId, toolName, address } = tool
  const copyText = useCopyText()
  const copy = (): void => copyText(address, { description: address })
  return (
    <MenuButton
      size="sm"
      label={t('tools.more', { tool: toolName })}
      items={[
        { label: t('tools.requestsOf'), icon: List, to: requestsPath({ scope: 'relay', toolId }) },
        { label: t('tools.open'), icon: Wrench, to: toolPath(toolId) },
        { label: t('tools.copy'), icon: Copy, onSelect: copy },
        ...(routes.includes('gateway')
          ? ([
              'separator',
              { label: t('tools.direct'), icon: Undo2, to: pointPath({ to: 'gateway', toolIds: [toolId] }) },
            ] as const)
          : []),
      ]}
    />
  )
}

function ToolActions({ tool, routes, onChangeUpstream }: ActionsProps) {
  const { t } = useTranslation('relay')
  const configureWithRelay = useOpenConfigureRoute()
  const { toolId, toolName, isPointedHere } = tool
  if (!isPointedHere) {
    return (
      <Button
        size="sm"
        variant="ghost"
        aria-label={t('tools.setUpOf', { tool: toolName })}
        onClick={() => configureWithRelay({ id: toolId, site: userSite }, 'relay')}
      >
        {t('tools.setUp')}
      </Button>
    )
  }
  return (
    <span className="inline-flex items-center gap-0.5">
      <Button size="sm" aria-label={t('tools.changeOf', { tool: toolName })} onClick={onChangeUpstream}>
        {t('tools.change')}
      </Button>
      <MoreActions tool={tool} routes={routes} />
    </span>
  )
}

/** Failure codes that are not shown, because the user canceled the request. */
const unreportedCodes: readonly FailureCode[] = ['net.cancelled']

/** Failure of the tool's last request. Undefined if the request was canceled. */
export const findFailure = ({ lastFailure }: RelayTool) =>
  lastFailure && !unreportedCodes.includes(lastFailure.code) ? lastFailure : undefined

function OverloadNotice({ from, to, until }: NonNullable<RelayTool['lastSwitch']>) {
  const { t } = useTranslation('relay')
  const { time } = useFormats()
  return <Callout tone="warning" title={t('way.overload.active', { from, to, time: time(until) })} />
}

function ToolFailure(
  props: CellProps & { readonly plans: readonly PlanView[]; readonly onChangeUpstream: () => void },
) {
  const { tool, plans, onChangeUpstream } = props
  const { t } = useTranslation('relay')
  const navigate = useNavigate()
  const recheckKeychain = useAction('app.recheckVault', { invalidates: ['app', 'plans', 'relay'] })
  const failure = findFailure(tool)
  if (!failure) return null
  const { toolId, toolName, planName, way } = tool
  const plan = plans.find(({ id }) => id === way?.planId)
  const toPlan = (query: string) => (plan ? () => void navigate(`/plans/${plan.id}?${query}`) : undefined)
  return (
    <ExplainedFailure
      failure={failure}
      tone="warning"
      context={{ tool: toolName, plan: planName, requestAddress: plan?.gatewayUrl }}
      busy={recheckKeychain.isPending}
      handlers={{
        pasteKey: toPlan(plan?.origin ? 'tab=keys' : 'paste=1'),
        setAddress: toPlan('edit=1'),
        choosePlan: onChangeUpstream,
        chooseModel: () => void navigate(toolPath(toolId, 'configure')),
        recheckVault: () => recheckKeychain.mutate({}),
      }}
      actions={[
        tool.requests > 0 && {
          label: t('tools.failures'),
          variant: 'ghost',
          to: requestsPath({ scope: 'relay', toolId, onlyErrors: true }),
        },
        failure.code === 'key.notFound' && { label: t('tools.choose'), onClick: onChangeUpstream },
      ]}
    />
  )
}
