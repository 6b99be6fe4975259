export { readFeedPage, type FeedPage, type FeedQuery } from './read-feed-page.js'
export { readFeedsSince, type FeedMark } from './read-feeds-since.js'
