import type { ToolView } from '@shared/contract'
import { SearchX, Stethoscope } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams, useSearchParams } from 'react-router'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { ButtonLink } from '../../ui/button'
import { EmptyState, Page, PageHeader } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { readSite, type ToolHere, toolHere, toolPath, useSiteWords } from '../tools'
import { DoctorPanel } from './doctor-panel'
import { examineOnce } from './examinations'

/** Examines a setup on arrival, unless this window knows already how it is. */
function useFirstExamination({ id, applied }: ToolHere, place: string | null): void {
  const isSetUp = applied !== undefined
  useEffect(() => {
    if (isSetUp) examineOnce({ toolId: id, site: readSite(place) })
  }, [id, place, isSetUp])
}

/** `place` is the site as the address has it. */
function OneTool({ tool, place }: { readonly tool: ToolView; readonly place: string | null }) {
  const { t } = useTranslation('doctor')
  const siteWords = useSiteWords()
  const here = toolHere(tool, readSite(place))
  const { site } = here
  useFirstExamination(here, place)
  const title = t('title', { tool: tool.name })
  return (
    <>
      <PageHeader
        title={title}
        state={site.kind === 'user' ? t('state') : siteWords(site)}
        breadcrumb={[
          { label: t('tools'), to: '/tools' },
          { label: tool.name, to: toolPath(tool.id, undefined, site) },
        ]}
      />
      {here.applied ? (
        <DoctorPanel tool={tool} site={site} />
      ) : (
        <EmptyState
          icon={Stethoscope}
          title={t('notSetUp', { tool: tool.name })}
          actions={
            <ButtonLink variant="primary" to={toolPath(tool.id, 'configure', site)}>
              {t('setUp')}
            </ButtonLink>
          }
        >
          {t('notSetUpText')}
        </EmptyState>
      )}
    </>
  )
}

/** One tool examined, at the site that the address names. */
export function ToolDoctorPage() {
  const { t } = useTranslation('doctor')
  const { toolId = '' } = useParams()
  const [query] = useSearchParams()
  const tools = useCall('tools.list', {})
  return (
    <Page>
      <Loaded query={tools} skeleton={<SkeletonRows rows={5} />}>
        {(all) => {
          const tool = all.find(({ id }) => id === toolId)
          if (tool) return <OneTool tool={tool} place={query.get('at')} />
          return (
            <EmptyState
              icon={SearchX}
              title={t('gone')}
              actions={<ButtonLink to="/tools">{t('toTools')}</ButtonLink>}
            />
          )
        }}
      </Loaded>
    </Page>
  )
}
