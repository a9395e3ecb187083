import type { PlanView, SetupView, ToolView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Button, ButtonLink } from '../../ui/button'
import { Code } from '../../ui/code'
import { Section } from '../../ui/page'
import { Facts, Row, Rows } from '../../ui/rows'
import { SkeletonRows } from '../../ui/skeleton'
import { setupKey, setupsOf, usesPlan } from '../tools/sites'
import { StandingDot } from '../tools/standing-dot'
import { isHere } from '../tools/tool-list'
import { ToolMark } from '../tools/tool-mark'
import { setUpPath, toolPath } from '../tools/tool-status'
import { useToolsStore } from '../tools/tools-store'
import { useSiteWords } from '../tools/use-site-words'

/** A setup of a tool that uses the plan, at its site. */
function UsingTool({ tool, setup }: { tool: ToolView; setup: SetupView }) {
  const { t } = useTranslation('tools')
  const siteWords = useSiteWords()
  const { site, status, applied } = setup
  const face = status === 'drifted' ? 'review' : undefined
  return (
    <Row
      leading={<ToolMark tool={tool} />}
      title={tool.name}
      to={toolPath(tool.id, undefined, site)}
      description={
        <Facts
          items={[
            site.kind !== 'user' && siteWords(site),
            t(`standards.${tool.standard}`),
            applied && (
              <Code key="model" quiet>
                {applied.modelCode}
              </Code>
            ),
          ]}
        />
      }
      trailing={
        <>
          <StandingDot setup={setup} />
          <ButtonLink size="sm" to={toolPath(tool.id, face, site)}>
            {t(status === 'configured' ? 'actions.open' : 'actions.putRight')}
            <span className="sr-only"> {tool.name}</span>
          </ButtonLink>
        </>
      }
    />
  )
}

function OtherTool({ tool, plan }: { tool: ToolView; plan: PlanView }) {
  const { t } = useTranslation('tools')
  const navigate = useNavigate()
  const pick = useToolsStore((store) => store.pick)
  const configure = (): void => {
    pick(tool.id, { planId: plan.id, keyId: undefined, modelCode: undefined, slots: undefined })
    void navigate(toolPath(tool.id, 'configure'))
  }
  return (
    <Row
      leading={<ToolMark tool={tool} />}
      title={tool.name}
      description={
        <Facts
          items={[
            t(`standards.${tool.standard}`),
            !tool.installed && t('notInstalled'),
            tool.applied && (tool.applied.planName ?? t('planGone')),
          ]}
        />
      }
      trailing={
        <Button size="sm" onClick={configure}>
          {t('actions.setUp')}
          <span className="sr-only"> {tool.name}</span>
        </Button>
      }
    />
  )
}

/** The setups that use this plan, and the tools of this computer that could with one click. */
export function PlanTools({ plan }: { plan: PlanView }) {
  const { t } = useTranslation(['plans', 'tools'])
  const query = useCall('tools.list', {})
  return (
    <Section
      title={t('plans:page.tools')}
      description={plan.usedBy.length === 0 ? t('plans:page.noToolsText') : t('plans:page.toolsHint')}
      actions={
        <ButtonLink size="sm" to={setUpPath({ planId: plan.id })}>
          {t('tools:setUpAll')}
        </ButtonLink>
      }
    >
      <Loaded query={query} skeleton={<SkeletonRows rows={2} />}>
        {(tools) => (
          <Rows label={t('plans:page.tools')}>
            {tools.flatMap((tool) =>
              setupsOf(tool)
                .filter(({ applied }) => applied?.planId === plan.id)
                .map((setup) => <UsingTool key={setupKey(tool.id, setup.site)} tool={tool} setup={setup} />),
            )}
            {tools
              .filter((tool) => tool.kind !== 'unsupported' && isHere(tool) && !usesPlan(tool, plan.id))
              .map((tool) => (
                <OtherTool key={tool.id} tool={tool} plan={plan} />
              ))}
          </Rows>
        )}
      </Loaded>
    </Section>
  )
}
