import type { PlanView, ToolView } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Ellipsis, SearchX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { callKey, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { EmptyState } from '../../ui/empty-state'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { Page, PageHeader } from '../../ui/page'
import { Facts } from '../../ui/rows'
import { SkeletonRows } from '../../ui/skeleton'
import { toast } from '../../ui/toast'
import { AddPlanFirst } from './add-plan-first'
import { ConfigurePanel } from './configure-panel'
import { RestorePanel } from './restore-panel'
import { AppliedNotice, ToolOverview } from './tool-overview'
import { InstallHint } from './tool-row'
import { statusTones, toolPath } from './tool-status'
import { useToolsStore } from './tools-store'
import { useToolMenu } from './use-tool-menu'
import { useVerify, type Verifying } from './use-verify'
import { VerifySection } from './verify-section'

type Face = 'overview' | 'configure' | 'undo'

/** Which face of the page to show: the asked one where it makes sense, else what the tool's state calls for. */
function faceOf(tool: ToolView, asked: string | null): Face {
  if (!tool.applied) return 'configure'
  if (asked === 'undo' || asked === 'configure') return asked
  return tool.status === 'unreadable' ? 'configure' : 'overview'
}

function Header({ tool, face, verifying }: { tool: ToolView; face: Face; verifying: Verifying }) {
  const { t } = useTranslation('tools')
  const items = useToolMenu(tool)
  return (
    <PageHeader
      title={tool.name}
      breadcrumb={[{ label: t('title'), to: '/tools' }]}
      badge={tool.supported ? <Badge tone={statusTones[tool.status]}>{t(`statuses.${tool.status}`)}</Badge> : null}
      state={
        <>
          <Facts
            items={[
              t(`standards.${tool.standard}`),
              tool.installed && tool.version !== undefined && t('version', { version: tool.version }),
            ]}
          />
          {tool.installed ? null : <InstallHint toolId={tool.id} />}
        </>
      }
      actions={
        <>
          {tool.applied && face !== 'overview' ? (
            <ButtonLink variant="ghost" to={toolPath(tool.id)}>
              {t('actions.back')}
            </ButtonLink>
          ) : null}
          {tool.applied && face === 'overview' ? (
            <>
              <ButtonLink to={toolPath(tool.id, 'configure')}>{t('actions.change')}</ButtonLink>
              <Button variant="primary" busy={verifying.isPending} onClick={verifying.verify}>
                {t('actions.verify')}
              </Button>
            </>
          ) : null}
          {tool.supported ? (
            <Menu
              align="end"
              trigger={<IconButton icon={Ellipsis} label={t('actions.more', { tool: tool.name })} />}
              items={items}
            />
          ) : null}
        </>
      }
    />
  )
}

/** Puts a tool's new state on the screen at once, before the list is asked for again. */
function useToolInCache(): (tool: ToolView) => void {
  const queries = useQueryClient()
  return (tool) =>
    queries.setQueryData<ToolView[]>(callKey('tools.list', {}), (list) =>
      list?.map((one) => (one.id === tool.id ? tool : one)),
    )
}

function OneTool({ tool, plans }: { tool: ToolView; plans: readonly PlanView[] }) {
  const { t } = useTranslation('tools')
  const navigate = useNavigate()
  const [query, setQuery] = useSearchParams()
  const [isFresh, setIsFresh] = useState(false)
  const forgetPicked = useToolsStore((store) => store.forgetPicked)
  const setVerification = useToolsStore((store) => store.setVerification)
  const verifying = useVerify(tool)
  const putInCache = useToolInCache()
  const face = faceOf(tool, query.get('do'))
  const plan = plans.find(({ id }) => id === tool.applied?.planId)
  const isAskedToVerify = query.get('verify') === '1' && tool.applied !== undefined
  const { verify } = verifying
  useEffect(() => {
    if (!isAskedToVerify) return
    setQuery({}, { replace: true })
    verify()
  }, [isAskedToVerify, setQuery, verify])
  const settle = (changed: ToolView, wrote: boolean): void => {
    putInCache(changed)
    forgetPicked(tool.id)
    setVerification(tool.id, undefined)
    setIsFresh(wrote)
    void navigate(toolPath(tool.id), { replace: true })
    // The button that had the focus is gone.
    document.querySelector<HTMLElement>('[data-page-title]')?.focus()
    if (!wrote) void toast(t('restored', { tool: tool.name }))
  }
  if (!tool.supported) {
    return (
      <>
        <Header tool={tool} face={face} verifying={verifying} />
        <Callout tone="info" title={t('unsupported')}>
          {tool.reason}
        </Callout>
      </>
    )
  }
  return (
    <>
      <Header tool={tool} face={face} verifying={verifying} />
      {face === 'undo' ? <RestorePanel tool={tool} onRestored={(changed) => settle(changed, false)} /> : null}
      {face === 'configure' && plans.length === 0 ? <AddPlanFirst /> : null}
      {face === 'configure' && plans.length > 0 ? (
        <ConfigurePanel tool={tool} plans={plans} onApplied={(changed) => settle(changed, true)} />
      ) : null}
      {face === 'overview' && tool.applied ? (
        <>
          {isFresh ? (
            <AppliedNotice
              tool={tool}
              applied={tool.applied}
              onVerify={verifying.check || verifying.isPending ? undefined : verify}
            />
          ) : null}
          <VerifySection tool={tool} plan={plan} state={verifying} />
          <ToolOverview tool={tool} applied={tool.applied} />
        </>
      ) : null}
    </>
  )
}

/** One tool: set it up, see where it calls, verify it, undo it. */
export function ToolPage() {
  const { t } = useTranslation('tools')
  const { toolId = '' } = useParams()
  const tools = useCall('tools.list', {})
  const plans = useCall('plans.list', {})
  return (
    <Page>
      <Loaded query={tools} skeleton={<SkeletonRows rows={3} />}>
        {(list) => {
          const tool = list.find(({ id }) => id === toolId)
          if (!tool) return <EmptyState icon={SearchX} title={t('emptyTitle')} />
          return (
            <Loaded query={plans} skeleton={<SkeletonRows rows={3} />}>
              {(all) => <OneTool key={tool.id} tool={tool} plans={all} />}
            </Loaded>
          )
        }}
      </Loaded>
    </Page>
  )
}
