export { readFeedPage, type FeedPage, type FeedQuery, type FeedRefusal } from './read-feed-page.js'
export { readFeedsSince, type FeedMark } from './read-feeds-since.js'
