export { dockerPath, repositories, robotAccounts, shellWord } from './repositories'
