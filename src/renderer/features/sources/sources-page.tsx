import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Page, PageHeader } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { usagePath } from '../usage/paths'
import { Consoles } from './consoles'
import { MachineSources } from './machine-sources'
import { Storage } from './storage'
import { ToolLogs } from './tool-logs'

/** Where the figures of usage come from, which tools' logs are read, and how it is kept. */
export function SourcesPage() {
  const { t } = useTranslation(['sources', 'usage'])
  const query = useCall('usage.sources', {})
  return (
    <Page>
      <PageHeader
        title={t('sources:title')}
        breadcrumb={[{ label: t('usage:title'), to: usagePath }]}
        state={t('sources:state')}
      />
      <Loaded query={query} skeleton={<SkeletonRows rows={5} />}>
        {(sources) => (
          <>
            <MachineSources sources={sources} />
            <ToolLogs logs={sources.toolLogs} />
            <Consoles consoles={sources.consoles} />
          </>
        )}
      </Loaded>
      <Storage />
    </Page>
  )
}
