import type { PlanView, ToolView } from '@shared/contract'
import { SearchX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useParams, useSearchParams } from 'react-router'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Page } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { AddPlanFirst } from './add-plan-first'
import { GuidedTool } from './guided-tool'
import { readSite, setupKey, type ToolHere, toolHere } from './sites'
import { ToolHeader } from './tool-header'
import { UnsupportedTool } from './unsupported-tool'
import { useVerify } from './use-verify'
import { WrittenTool } from './written-tool'

/** A tool that this app writes no files of. */
function OtherTool({ here, plans }: { readonly here: ToolHere; readonly plans: readonly PlanView[] }) {
  const verifying = useVerify(here)
  return (
    <>
      <ToolHeader tool={here} isOverview={false} verifying={verifying} />
      {here.kind === 'unsupported' ? (
        <UnsupportedTool tool={here} />
      ) : plans.length === 0 ? (
        <AddPlanFirst />
      ) : (
        <GuidedTool tool={here} plans={plans} />
      )}
    </>
  )
}

function OneTool({ tool, plans }: { readonly tool: ToolView; readonly plans: readonly PlanView[] }) {
  const [query] = useSearchParams()
  const site = readSite(query.get('at'))
  if (tool.kind !== 'written') return <OtherTool here={toolHere(tool, readSite(null))} plans={plans} />
  return <WrittenTool key={setupKey(tool.id, site)} tool={tool} here={toolHere(tool, site)} plans={plans} />
}

/** One tool, at the site that the address names: this user's home when it names none. */
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
          if (!tool) {
            return (
              <EmptyState
                icon={SearchX}
                title={t('unknown')}
                actions={<ButtonLink to="/tools">{t('many.toTools')}</ButtonLink>}
              />
            )
          }
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
