import { Navigate, Route, Routes } from 'react-router'
import { buildTab, ResourceDetailPage, ResourceListPage, type Section } from '../resources'
import { agentIdentities, identityResources } from './section'

const identitiesPath = agentIdentities.at

export function IdentitiesRoutes() {
  return (
    <Routes>
      <Route index element={<Navigate to={identitiesPath} replace />} />
      {identityResources.map((resource) => (
        <Route key={resource.at} path={resource.at.split('/').at(-1)}>
          <Route index element={<ResourceListPage key={resource.at} section={identitySection} resource={resource} />} />
          <Route path=":id" element={<ResourceDetailPage section={identitySection} resource={resource} />} />
        </Route>
      ))}
      <Route path="*" element={<Navigate to={identitiesPath} replace />} />
    </Routes>
  )
}

const identitySection: Section = { name: 'identities', tabs: identityResources.map(buildTab) }
