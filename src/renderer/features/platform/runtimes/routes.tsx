import type { ResourceAnswer } from '@shared/contract'
import i18next from 'i18next'
import { GitCompareArrows } from 'lucide-react'
import type { ReactNode } from 'react'
import { Navigate, Route, Routes, useNavigate, useParams } from 'react-router'
import { CopyText } from '../../../copy-text'
import { type RuntimeTab, runtimePath, runtimesPath, runtimeTabs } from '../../../paths'
import { Button } from '../../../ui/button'
import { QuietCode } from '../../../ui/code'
import type { MenuItem } from '../../../ui/menu'
import { CardSection, Section } from '../../../ui/page'
import { ControlRow } from '../../../ui/rows'
import { Select } from '../../../ui/select'
import { Tabs } from '../../../ui/tabs'
import { useAddressQuery } from '../../../window-state'
import { TextDiff } from '../../playground/compare'
import {
  FieldsView,
  isPrimitive,
  type ResourceAction,
  ResourceDetailPage,
  ResourceFailure,
  ResourceList,
  ResourceListPage,
  type ResourceSubject,
  readField,
  SavedSecretList,
} from '../resources'
import { CheckPage } from './check-page'
import { EndpointsTab, useVersionRollback } from './endpoints-tab'
import { LogsTab, MetricsTab } from './monitoring'
import {
  names,
  type OpenRuntime,
  resetServiceAccount,
  versions as resource,
  runtimes,
  runtimesSection,
  useVersions,
  type Version,
  versionText,
} from './runtimes'

const t = i18next.getFixedT(null, ['runtimes', 'common'])

export function RuntimesRoutes() {
  return (
    <Routes>
      <Route
        index
        element={
          <ResourceListPage
            section={runtimesSection}
            resource={runtimes}
            below={<SavedSecretList secretKind="serviceAccount" description={t('runtimes:reset.keptText')} />}
          />
        }
      />
      <Route path="check" element={<CheckPage />} />
      <Route path=":id" element={<RuntimePage />} />
      <Route path=":id/:tab" element={<RuntimePage />} />
      <Route path="*" element={<Navigate to={runtimesPath} replace />} />
    </Routes>
  )
}

interface RuntimeTabProps extends OpenRuntime {
  readonly answer: ResourceAnswer
  readonly startAction: (action: ResourceAction) => void
}

function OverviewTab({ subject, answer, startAction }: RuntimeTabProps) {
  const clientId = readField(subject.row, names.clientId)
  return (
    <>
      <CardSection flush title={t('runtimes:account.title')} description={t('runtimes:account.text')}>
        <ControlRow
          label={t('runtimes:account.id')}
          hint={
            !isPrimitive(clientId) ? (
              t('runtimes:account.noId')
            ) : (
              <span className="inline-flex max-w-full items-center gap-1">
                <QuietCode>{String(clientId)}</QuietCode>
                <CopyText text={String(clientId)} label={t('common:copyNamed', { what: t('runtimes:account.id') })} />
              </span>
            )
          }
          control={
            <Button icon={resetServiceAccount.icon} onClick={() => startAction(resetServiceAccount)}>
              {t('runtimes:reset.label')}
            </Button>
          }
        />
      </CardSection>
      <FieldsView data={answer.data} secrets={answer.secrets} keepAs={{ kind: 'serviceAccount', name: subject.name }} />
    </>
  )
}

function VersionsTab({ runtimeId }: OpenRuntime) {
  const query = useVersions(runtimeId)
  // The page address has the two versions to compare. Default: the two newest.
  const [address, choose] = useAddressQuery()
  const findVersion = (number: string | null) => query.all.find((version) => version.number === number)
  const versionAfter = findVersion(address.get('after')) ?? query.all[0]
  const versionBefore =
    findVersion(address.get('before')) ??
    (versionAfter && query.all[query.all.indexOf(versionAfter) + 1]) ??
    query.all.at(-1)
  const compareItems = ({ id }: ResourceSubject): readonly MenuItem[] => {
    const versionIndex = query.all.findIndex(({ number }) => number === id)
    const [newest] = query.all
    const olderVersion = query.all[versionIndex + 1]
    if (id === undefined || versionIndex < 0 || !newest) return []
    return [
      {
        label: t('versions.withBefore'),
        icon: GitCompareArrows,
        disabled: olderVersion === undefined,
        onSelect: () => choose({ before: olderVersion?.number ?? id, after: id }),
      },
      {
        label: t('versions.withNewest'),
        icon: GitCompareArrows,
        disabled: versionIndex === 0,
        onSelect: () => choose({ before: id, after: newest.number }),
      },
    ]
  }
  const rollback = useVersionRollback(runtimeId, query.all)
  const listMenuItems = (subject: ResourceSubject): readonly MenuItem[] => {
    const items = rollback.items(subject)
    return [...compareItems(subject), ...(items.length > 0 ? (['separator', ...items] as const) : [])]
  }
  const formatVersion = ({ number }: Version): string => t('versions.number', { number })
  const options = query.all.map((version) => ({ value: version.number, label: formatVersion(version) }))
  return (
    <>
      {query.error ? (
        <ResourceFailure failure={query.error.failure} onRetry={() => void query.refetch()} busy={query.isFetching} />
      ) : null}
      {!versionBefore || !versionAfter ? null : (
        <Section
          title={t('versions.compare')}
          description={query.all.length < 2 ? t('versions.onlyOne') : t('versions.compareText')}
          actions={
            query.all.length < 2 ? null : (
              <div className="flex items-center gap-2 [&>button]:w-33 [&>span]:text-faint">
                <Select
                  aria-label={t('versions.before')}
                  value={versionBefore.number}
                  onValueChange={(number) => choose({ before: number })}
                  options={options}
                />
                <span aria-hidden="true">→</span>
                <Select
                  aria-label={t('versions.after')}
                  value={versionAfter.number}
                  onValueChange={(number) => choose({ after: number })}
                  options={options}
                />
              </div>
            )
          }
        >
          {query.all.length < 2 ? null : (
            <div className="max-h-115 overflow-auto">
              <TextDiff
                before={versionText(versionBefore)}
                after={versionText(versionAfter)}
                names={[formatVersion(versionBefore), formatVersion(versionAfter)]}
              />
            </div>
          )}
        </Section>
      )}
      <ResourceList {...{ resource, moreItems: listMenuItems }} scope={{ id: runtimeId }} />
      {rollback.dialog}
    </>
  )
}

const tabContents: Readonly<Record<RuntimeTab, (props: RuntimeTabProps) => ReactNode>> = {
  overview: OverviewTab,
  versions: VersionsTab,
  endpoints: EndpointsTab,
  logs: LogsTab,
  metrics: MetricsTab,
}

function RuntimePage() {
  const navigate = useNavigate()
  const { id = '', tab = 'overview' } = useParams()
  const shownTab = runtimeTabs.find((candidate) => candidate === tab)
  if (shownTab === undefined) return <Navigate to={runtimePath(id)} replace />
  const TabContent = tabContents[shownTab]
  return (
    <ResourceDetailPage
      section={runtimesSection}
      resource={runtimes}
      content={(runtime, startAction) => (
        <Tabs
          label={t('tabs.label')}
          value={shownTab}
          onValueChange={(nextTab) => void navigate(runtimePath(id, nextTab), { replace: true })}
          tabs={runtimeTabs.map((value) => ({
            value,
            label: t(`tabs.${value}`),
            content: value === shownTab ? <TabContent {...{ ...runtime, runtimeId: id, startAction }} /> : null,
          }))}
        />
      )}
    />
  )
}
