import type { SandboxArea } from '@shared/contract'
import { Inbox } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Section } from '../../ui/page'
import { Segmented } from '../../ui/radio-cards'
import { SkeletonRows } from '../../ui/skeleton'
import { RequestsTable } from './requests-table'
import { TokenSection } from './token-section'

const pollMs = 1_000
const areas: readonly SandboxArea[] = ['gateway', 'platform']

const usePolled = (area: SandboxArea) =>
  useCall('sandbox.requests', { area }, { refetchInterval: pollMs, staleTime: 0 })

function NoRequests({ area }: { readonly area: SandboxArea }) {
  const { t } = useTranslation('sandbox', { keyPrefix: 'requests.empty' })
  const { t: tSandbox } = useTranslation('sandbox')
  const action = area === 'gateway' ? <ButtonLink to="/tools">{tSandbox('configureTool')}</ButtonLink> : null
  return (
    <EmptyState icon={Inbox} title={t(`${area}Title`)} actions={action}>
      {t(`${area}Text`)}
    </EmptyState>
  )
}

function Tokens() {
  const { data = [] } = usePolled('gateway')
  return <TokenSection requests={data} />
}

/** What reached one of the two listeners, and the tokens of the gateway's answers. */
export function Requests() {
  const { t } = useTranslation('sandbox')
  const [area, setArea] = useState<SandboxArea>('gateway')
  const query = usePolled(area)
  const choose = (value: string): void => setArea(areas.find((one) => one === value) ?? area)
  return (
    <>
      <Tokens />
      <Section
        title={t('requests.title')}
        description={t('requests.hint')}
        actions={
          <Segmented
            label={t('requests.area')}
            value={area}
            onValueChange={choose}
            segments={areas.map((value) => ({ value, label: t(`requests.areas.${value}`) }))}
          />
        }
      >
        <Loaded query={query} skeleton={<SkeletonRows rows={4} />}>
          {(requests) =>
            requests.length === 0 ? (
              <NoRequests area={area} />
            ) : (
              <RequestsTable key={area} area={area} requests={requests} />
            )
          }
        </Loaded>
      </Section>
    </>
  )
}
