import { Navigate, Route, Routes, useParams } from 'react-router'
import { buildTab, type Resource, ResourceDetailPage, ResourceListPage, type Section } from '../resources'
import { agentIdentities, identityResources } from './section'

const identitiesPath = agentIdentities.at

/** Last path segment of a list. */
const lastSegment = ({ at }: Resource): string => at.slice(at.lastIndexOf('/') + 1)

function Detail({ resource }: { readonly resource: Resource }) {
  const { id = '' } = useParams()
  return <ResourceDetailPage section={identitySection} resource={resource} id={id} />
}

export function IdentitiesRoutes() {
  return (
    <Routes>
      <Route index element={<Navigate to={identitiesPath} replace />} />
      {identityResources.map((resource) => (
        <Route key={resource.id} path={lastSegment(resource)}>
          <Route index element={<ResourceListPage key={resource.id} section={identitySection} resource={resource} />} />
          <Route path=":id" element={<Detail key={resource.id} resource={resource} />} />
        </Route>
      ))}
      <Route path="*" element={<Navigate to={identitiesPath} replace />} />
    </Routes>
  )
}

const identitySection: Section = {
  title: (t) => t('identities:title'),
  state: (t) => t('identities:state'),
  label: (t) => t('identities:tabs'),
  tabs: identityResources.map(buildTab),
}
