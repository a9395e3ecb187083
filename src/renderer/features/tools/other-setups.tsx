import type { ToolView } from '@shared/contract'
import { FolderPlus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button, ButtonLink } from '../../ui/button'
import { Code } from '../../ui/code'
import { Section } from '../../ui/page'
import { Facts, Row, Rows } from '../../ui/rows'
import { useChooseProject } from './site-field'
import { setupsOf, siteText, type ToolHere } from './sites'
import { StandingDot } from './standing-dot'
import { toolPath } from './tool-status'
import { useSiteWords } from './use-site-words'

interface OtherSetupsProps {
  readonly tool: ToolView
  readonly here: ToolHere
}

/** How the tool is set up elsewhere (projects, distributions), each with its undo, and the way to set up one more project. */
export function OtherSetups({ tool, here }: OtherSetupsProps) {
  const { t } = useTranslation('tools')
  const siteWords = useSiteWords()
  const chooseProject = useChooseProject(tool.id)
  const canProject = tool.sites.includes('project')
  const others = setupsOf(tool).filter(({ site }) => siteText(site) !== siteText(here.site))
  const shown = others.filter(({ site, status }) => site.kind !== 'user' || status !== 'absent')
  if (shown.length === 0 && !canProject) return null
  return (
    <Section
      title={t('sites.others')}
      description={t('sites.othersHint')}
      actions={
        canProject ? (
          <Button size="sm" icon={FolderPlus} onClick={chooseProject}>
            {t('sites.setUpProject')}
          </Button>
        ) : null
      }
    >
      {shown.length === 0 ? null : (
        <Rows label={t('sites.others')}>
          {shown.map(({ site, status, applied, file, relayOff }) => (
            <Row
              key={siteText(site)}
              title={siteWords(site)}
              to={toolPath(tool.id, undefined, site)}
              description={
                <Facts
                  items={[
                    applied && (applied.planName ?? t('planGone')),
                    applied?.modelCode,
                    <Code key="file" quiet title={file}>
                      {site.kind === 'project' ? site.folder : file}
                    </Code>,
                  ]}
                />
              }
              trailing={
                <>
                  <StandingDot setup={{ status, relayOff }} />
                  {status === 'drifted' ? (
                    <ButtonLink size="sm" to={toolPath(tool.id, 'review', site)}>
                      {t('actions.putRight')}
                      <span className="sr-only"> {siteWords(site)}</span>
                    </ButtonLink>
                  ) : null}
                  {applied ? (
                    <ButtonLink size="sm" variant="ghost" to={toolPath(tool.id, 'undo', site)}>
                      {t('actions.undo')}
                      <span className="sr-only"> {siteWords(site)}</span>
                    </ButtonLink>
                  ) : null}
                </>
              }
            />
          ))}
        </Rows>
      )}
    </Section>
  )
}
