import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { useActiveConnection } from '../connections/use-connections'
import { KeptSecrets } from '../resources/kept-secrets'
import { ResourceDetailPage } from '../resources/resource-detail-page'
import { ResourceListPage } from '../resources/resource-list-page'
import { apiKeys } from './api-keys'
import { KeyMade } from './key-made'
import { KeyOperations } from './key-operations'
import { modelSection } from './section'
import { UseForInference } from './use-for-inference'

/** All platform API keys, what goes on with them, and those that are kept here. */
export function KeysPage() {
  const { t } = useTranslation('models')
  const connection = useActiveConnection()
  return (
    <ResourceListPage
      section={modelSection}
      resource={apiKeys}
      renderCreated={(answer, name) =>
        connection ? <KeyMade connection={connection} answer={answer} name={name} /> : null
      }
      above={({ id }) => <KeyOperations connectionId={id} />}
      below={({ id }) => (
        <KeptSecrets
          connectionId={id}
          kinds={['platformApiKey']}
          description={t('keys.keptText')}
          actions={({ id: keptId }) => <UseForInference connectionId={id} of={{ keptId }} />}
        />
      )}
    />
  )
}

/** One platform API key. */
export function KeyPage() {
  const { id = '' } = useParams()
  return (
    <ResourceDetailPage
      section={modelSection}
      resource={apiKeys}
      id={id}
      secretActions={({ handle }, connection) => <UseForInference connectionId={connection.id} of={{ handle }} />}
    />
  )
}
